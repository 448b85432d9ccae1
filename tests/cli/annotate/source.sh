# Source lines stand above their instructions, as addr2line and objdump -S have them; they are kept,
# so that they need the program only once.
cat >square.h <<-'C'
	static inline unsigned long square(unsigned long x)
	{
		return x * x / 3;
	}
C
cat >work.c <<-'C'
	#include <stdlib.h>
	#include "square.h"
	volatile unsigned long sink;
	__attribute__((noinline)) void work(unsigned long n)
	{
		for (unsigned long i = 0; i < n; i++) {
			if (i & 1)
				sink += square(i);
			else
				sink ^= i / 7;
		}
	}
	int main(int argc, char **argv)
	{
		work(strtoul(argv[1], NULL, 10));
		return 0;
	}
C
for level in 0 2; do
	cc -g -O$level -o work work.c || { echo "no compiler"; exit 77; }
	assay record -q -F 1999 -e cpu-clock -o run.assay -- ./work 60000000
	assay annotate --limit 0 --source-dir . work run.assay >text
	assay annotate --json --source-dir . work run.assay >json
	objdump -d --no-show-raw-insn -S work | sed -n '/<work>:$/,/^$/p' >objdump
	python3 - "$level" <<-'P'
		import json, re, subprocess, sys
		(function,) = json.load(open("json"))["functions"]
		rows = function["instructions"]
		asked = subprocess.run(["addr2line", "-aifse", "work"] + [row["vaddr"] for row in rows],
		                       capture_output=True, text=True).stdout
		for row, answer in zip(rows, re.split(r"^0x", asked, flags=re.M)[1:]):
		    lines = answer.split("\n")[1:-1]
		    want = [re.sub(r" \(disc.*", "", line) for line in lines[1::2]]
		    have = [f"{at['file'].split('/')[-1]}:{at['line']}"
		            for at in [row] + row.get("inlined_at", [])]
		    assert have == want, (row["vaddr"], have, want)
		    names = [at["function"] for at in row.get("inlined_at", [])]
		    assert ([row["inlined_function"]] if names else []) + names == lines[::2][:len(names) and len(names) + 1], lines
		text = open("text").read()
		# What objdump prints right above an instruction is what stands above it here.
		above = {}
		last = None
		for line in open("objdump"):
		    if match := re.match(r" +([0-9a-f]+):\t", line):
		        if last: above[match[1]] = last
		        last = None
		    elif line.strip(): last = line.strip()
		# Where objdump says what data an operand is, so do we.
		data = {match[1]: match[2] for match in re.finditer(r"^ +([0-9a-f]+):.*# [0-9a-f]+ <([^>]*)>$",
		                                                    open("objdump").read(), flags=re.M)}
		assert data and all("<" + data[row["vaddr"][2:]] + ">" in row["text"]
		                    for row in rows if row["vaddr"][2:] in data), data
		checked, last = 0, None
		for line in text.split("\n"):
		    if match := re.match(r" +[0-9]+: (\[square\])? *(.*)", line): last = match[2]
		    elif match := re.search(r" ([0-9a-f]{4,})  [ |+>-]*[a-z]+", line):
		        if match[1] in above:
		            assert above[match[1]] == last, (match[1], above[match[1]], last)
		            checked += 1
		assert checked > 5
		print("O" + sys.argv[1], "agrees;", "inlined" if "[square]" in text else "not inlined")
	P
done
cp run.assay once.assay
assay annotate work once.assay >/dev/null
sqlite3 once.assay "SELECT count(*) FROM block WHERE kind = 'line'"
# A damaged recording stays as it is.
damage="DELETE FROM block WHERE kind = 'mapping'"
assay record -q -e cpu-clock -o damaged.assay -- ./work 60000000
sqlite3 damaged.assay "$damage"
cksum <damaged.assay >before
assay annotate work damaged.assay >/dev/null
cksum <damaged.assay | cmp - before && echo unchanged
rm work
# But not the names of data.
plain() { sed 's/ <[^>]*>//'; }
assay annotate --limit 0 --source-dir . work run.assay | plain >again
plain <text | cmp - again && echo kept
assay annotate --no-source work run.assay | grep -c "square(i)"
mv work.c away.c
assay annotate --source-dir . work run.assay | grep -o "work.c: not available" | sort -u
cp /bin/sh work.c
assay annotate --source-dir . work run.assay | grep -o "work.c: not available" | sort -u
sed 's/^/new /' away.c >work.c
assay annotate --source-dir . work run.assay | grep -o "work.c: .*" | sort -u
