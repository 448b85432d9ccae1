# A source file and an inlined function whose names have a million bytes: cut, but lines stay apart.
python3 - >work.c <<'END'
long = "n" * (1 << 20)
print(f'''static volatile unsigned long sink;
# 1 "/src/{long}.c"
static inline __attribute__((always_inline)) void {long}(unsigned long n)
{{
	for (unsigned long i = 0; i < n; i++) {{
		sink += i;
		sink ^= n;
	}}
}}
int main(void)
{{
	for (int i = 0; i < 300; i++)
		{long}(300000);
	return 0;
}}''')
END
gcc -O1 -g -o work work.c
assay record -q -e cpu-clock -F 999 -- ./work
cp profile.assay other.assay
python3 - <<'END'
import csv, io, json, re, subprocess
ONLY = ["--comm", "work", "--context", "user", "--image", "work"]
def ask(*words):
    return subprocess.run(["assay", *words, *ONLY], check=True, capture_output=True, text=True).stdout
def lines(texts):
    found = [re.fullmatch(r"n{1000,}:(\d+)", text) for text in texts if not text.startswith("[")]
    return all(found) and len(set(m[1] for m in found)) == len(found) >= 2
print("csv", lines(r["line"] for r in csv.DictReader(io.StringIO(ask("report", "--csv", "--by", "line"),
                                                                newline=""))))
print("json", lines(r["line"] for r in json.loads(ask("report", "--json", "--by", "line"))["rows"]))
print("text", lines(row.split()[-1] for row in ask("report", "--by", "line").splitlines()
                    if re.match(r" +\d+ ", row)))
both = ["profile.assay", "other.assay"]
rows = json.loads(ask("diff", "--json", "--by", "line", *both))["rows"]
print("diff", lines(r["line"] for r in rows), all(r["change_seconds"] == 0 for r in rows))
rows = json.loads(ask("diff", "--json", "--inline", "--by", "stack", *both))["rows"]
print("paths", {len(r["stack"][-1]["function"]) > 1000 for r in rows if r["after_samples"] > 10})
print("tree", bool(re.search(r"main\n.* n{600,}\.\.\.[0-9a-f]{16}\.\.\.n{300,} \(inlined\)\n", ask("tree", "--inline"))))
END
