# gprof finds in gmon.out what report has, and who called whom.
command -v gprof >/dev/null || { echo "gprof is not installed"; exit 77; }
cat >work.c <<'END'
static volatile long sink;
__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void small(void) { leaf(1000000); sink++; }
__attribute__((noinline)) void large(void) { leaf(3000000); sink++; }
__attribute__((noinline)) void own(long n) { for (long i = 0; i < n; i++) sink -= i; }
int main(void) { for (int i = 0; i < 100; i++) { small(); large(); own(4000000); } return 0; }
END
cc -O1 -fno-omit-frame-pointer -o work work.c
assay record -q -e cpu-clock -F 999 -- ./work
assay export -f gmon -o gmon.out 2>/dev/null
gprof -b ./work gmon.out >text || echo "gprof: $?"
assay report --json --by function --image work >report
python3 - <<'END'
import json, re
text = open("text").read()
rows = {row["function"]: row["seconds"] for row in json.load(open("report"))["rows"]}
flat = {line.split()[-1]: float(line.split()[2]) for line in
        re.search(r"time +seconds.*\n((?:.+\n)+)", text).group(1).splitlines() if len(line.split()) > 3}
for name in ("leaf", "own"):
    print(name, abs(flat[name] - rows[name]) <= 0.02 or (flat[name], rows[name]))
callers = re.findall(r"^ +[\d.]+ +[\d.]+ +\d+/\d+ +(\w+) \[", text, re.M)
print("called", sorted(set(callers)))
entry = next(re.search(r"\n((?: .+\n)+)\[\d+\].* leaf \[", part)
             for part in re.split(r"(?m)^-+$", text) if " leaf [" in part and "\n[" in part
             and re.search(r"(?m)^\[\d+\].* leaf \[", part)).group(1)
print("leaf by", sorted(re.findall(r"(\w+) \[\d+\]$", entry, re.M)))
END
assay export -f gmon | gprof -b -p ./work /dev/stdin >again && head -n 1 again
