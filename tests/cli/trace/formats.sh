# Text, CSV and JSON hold the same samples in the order of time; filters and limits choose.
assay record -q -e cpu-clock -F 999 -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); umask 022; done'
assay trace --json --fields time,cpu,comm,pid,tid,event,context,late,weight,function,image,quality,stack >json
assay trace --csv --fields time,function,quality,stack >csv
assay trace >text
assay trace --stack --limit 3 >stacks
python3 - <<'END'
import csv, json, subprocess
rows = [json.loads(line) for line in open("json")]
table = list(csv.DictReader(open("csv", newline="")))
count = json.loads(subprocess.check_output(["assay", "report", "--json", "--by", "event"]))
print("json", list(rows[0]), len(rows) == sum(row["samples"] for row in count["rows"]))
print("order", all(a["time"] <= b["time"] for a, b in zip(rows, rows[1:])))
print("csv", [row["function"] for row in rows] == [row["function"] for row in table])
print("quality", [row["quality"] for row in rows] == [row["quality"] for row in table],
      {row["quality"] for row in rows} <= {"symtab", "dynsym", "plt", "bracket", "bounds", "none"})
print("stack", [";".join(f["function"] for f in row["stack"]) for row in rows] ==
      [row["stack"] for row in table])
print("leaf", all(row["stack"][-1]["function"] == row["function"] for row in rows))
print("text", len(open("text").readlines()) == len(rows) + 1)
lines = open("stacks").read().split("\n")[1:-1]
frames = sum(len(row["stack"]) for row in rows[:3])
print("beneath", len(lines) == 3 + frames)
END
assay trace --json --limit 2 | wc -l
assay trace --context user --fields context | tail -n +2 | sort -u
assay trace --comm no-such-thread 2>&1 >/dev/null
echo "exit $?"
assay trace --fields time,size 2>&1 | head -1
