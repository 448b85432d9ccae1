# Functions whose names hold semicolons, newlines and what looks like an escape: joined stacks
# have one reading, which is what JSON says.
cat >work.c <<'END'
static volatile unsigned long sink;
__attribute__((noipa)) void inner(unsigned long n) { while (n--) sink += n; }
__attribute__((noipa)) void middle(unsigned long n) { inner(n); sink++; }
__attribute__((noipa)) void outer(unsigned long n) { middle(n); sink++; }
int main(void)
{
	for (int i = 0; i < 200; i++)
		outer(500000);
	return 0;
}
END
gcc -O1 -c -o work.o work.c
objcopy --redefine-sym inner='a;b%3b' --redefine-sym middle="$(printf 'c\nd\\;')" --redefine-sym outer='%25;' work.o
gcc -o work work.o
assay record -q -e cpu-clock -F 499 -- ./work
cp profile.assay other.assay
python3 - <<'END'
import csv, io, json, re, subprocess
ONLY = ["--comm", "work", "--context", "user", "--image", "work"]
def ask(*words):
    return subprocess.run(["assay", *words, *ONLY], check=True, capture_output=True, text=True).stdout
def table(*words):
    return list(csv.DictReader(io.StringIO(ask(*words), newline="")))
def shown(text):        # escape.h: \\ and \x0a
    return re.sub(r"\\(\\|x[0-9a-f]{2})", lambda m: m[1] if m[1] == "\\" else chr(int(m[1][1:], 16)), text)
def names(text):
    return [re.sub("%3b|%25", lambda m: chr(int(m[0][1:], 16)), name) for name in shown(text).split(";")]
wanted = [[frame["function"] for frame in json.loads(line)["stack"]]
          for line in ask("trace", "--json", "--fields", "stack").splitlines()]
have = [names(row["stack"]) for row in table("trace", "--csv", "--fields", "stack")]
print("trace", have == wanted, max(wanted)[-3:] if wanted else "")
print("text", [names(line) for line in ask("trace", "--fields", "stack").splitlines()[1:]] == wanted)
both = ["profile.assay", "other.assay"]
rows = json.loads(ask("diff", "--json", "--by", "stack", *both))["rows"]
said = table("diff", "--csv", "--by", "stack", *both)
print("diff", [names(row["stack"]) for row in said][:len(rows)]
      == [[frame["function"] for frame in row["stack"]] for row in rows], len(rows) > 0)
END
