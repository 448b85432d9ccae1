# Source lines and files by name: FILE:LINE shows the functions, --source the lines; what is not
# there or not one thing is said.
# Each line of quick() has work that waits for the other line's: a line that a processor does beside
# another one may have no sample.
mkdir a b
cat >a/part.h <<-'C'
	static inline unsigned long third_of_square(unsigned long x)
	{
		return x * x / 3;
	}
C
cat >a/work.c <<-'C'
	#include "part.h"
	volatile unsigned long sink;
	void quick(unsigned long n);
	__attribute__((noinline)) void slow(unsigned long n)
	{
		for (unsigned long i = 0; i < n; i++)
			sink += third_of_square(i);
	}
	int main(void)
	{
		slow(60000000);
		quick(30000000);
		return 0;
	}
C
cat >b/work.c <<-'C'
	extern volatile unsigned long sink;
	void quick(unsigned long n)
	{
		for (unsigned long i = 0; i < n; i += 1 + (sink / n > n))
			sink ^= i / (sink | 1);
	}
C
cc -g -O1 -o program "$PWD/a/work.c" "$PWD/b/work.c" || { echo "no compiler"; exit 77; }
assay record -q -F 1999 -e cpu-clock -- ./program
show() { assay annotate --source-dir . "$@" 2>&1 | sed "s,$PWD,PWD,g"; }
show --csv a/work.c:7 | sed 's/^"*[^,]*,//; s/,.*//' | sort -u
show --csv part.h:3 | sed 's/^"*[^,]*,//; s/,.*//' | sort -u
# However little is shown, it is of that line, and what was hit.
show --csv --limit 1 b/work.c:4 | sed 's/\r//; s/,[^,]*,[^,]*,[^,]*$//; s/.*,\(.*,.*\)/\1/'
show --csv b/work.c:4 >all
show --csv --limit 1 b/work.c:4 >one
show --json b/work.c:4 >json
show --no-pager b/work.c:4 >text
python3 - <<-'P'
	import csv, json, re
	def hits(name):
	    return [int(row["samples"]) for row in csv.DictReader(open(name)) if row["asked"] == "1"]
	assert hits("one") == [max(hits("all"))], (hits("one"), hits("all"))
	(function,) = json.load(open("json"))["functions"]
	assert function["asked"] == "b/work.c:4" and function["asked_samples"] == sum(hits("all"))
	asked = [row for row in function["instructions"] if row["asked"]]
	assert {row["line"] for row in asked} == {4}, asked
	text = open("text").read()
	head = re.search(r"^  b/work.c:4: (\d+) samples, [\d.]+% of the function$", text, re.M)
	assert int(head.group(1)) == sum(hits("all")), head.group()
	assert len(re.findall(r" \*[~^!]? +(?:B\d+)? +[0-9a-f]+ ", text)) == len(asked), text
	print("rows of the line are marked")
P
show work.c:5 | sort -k 3
assay annotate work.c:5 2>/dev/null; echo "exit $?"
show a/work.c:2
show a/work.c:99
assay annotate --source-dir . a/work.c:99 2>/dev/null; echo "exit $?"
show --source a/work.c:99
show nowhere.c:1
show --source nowhere.c
show a/work.c
show --source --csv quick | sed 's/,\([0-9]*\),[^"]*,/ \1 /'
show --source work.c | sort
# A line that was asked for is shown, however cold it is.
show --source --csv --limit 1 b/work.c:4 | sed -n 's/.*c,\([0-9]*\),.*/line \1/p'
show --source --csv --limit 1 b/work.c:5 | sed -n 's/.*c,\([0-9]*\),.*/line \1/p'
show --source --no-pager b/work.c | grep -o 'hits .*' | tr -s ' '
assay annotate third_of_square 2>&1 | sed 's/([0-9]* /(N /'
assay annotate third_of_square 2>/dev/null; echo "exit $?"
assay annotate --csv quick >instructions
assay annotate --source --csv slow >lines
assay annotate --csv slow >>instructions
assay annotate --source --csv quick >>lines
assay annotate --source --json --source-dir . part.h >json
python3 - <<-'P'
	import csv, json
	def count(name):
	    lines = {}
	    for row in csv.DictReader(open(name)):
	        if row["samples"] not in ("0", "samples"):
	            key = row["file"], row["line"]
	            lines[key] = lines.get(key, 0) + int(row["samples"])
	    return lines
	assert count("lines") == count("instructions") != {}, (count("lines"), count("instructions"))
	(file,) = json.load(open("json"))["files"]
	(line,) = file["lines"]
	assert line["line"] == 3 and line["source"].strip() == "return x * x / 3;", line
	assert line["samples"] == count("lines")[file["file"], "3"]
	print("lines agree with instructions")
P
# A block is a row, too.
for format in csv json no-pager; do show --by block --$format --limit 1 slow >block.$format; done
python3 - <<-'P'
	import csv, json
	all_of = list(csv.DictReader(open("block.csv")))
	(function,) = json.load(open("block.json"))["functions"]
	assert len(all_of) == len(function["blocks"]) == 1, (all_of, function["blocks"])
	assert "more, " in open("block.no-pager").read()
	print("one block")
P
