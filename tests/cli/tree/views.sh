# What a tree holds is what the report counts; directions, tables and formats agree.
. "$CASES/../report/busy"
all=$(assay report --csv --by event | sed -n 2p | cut -d , -f 2)
python3 - "$all" <<'END'
import csv, json, subprocess, sys
def ask(*words):
    return subprocess.run(["assay", *words], check=True, capture_output=True, text=True).stdout
for options in ([], ["--bottom-up"]):
    report = json.loads(ask("tree", "--json", *options))
    print(report["version"], report["order"], report["samples"] == int(sys.argv[1]),
          sum(row["self"]["samples"] for row in report["rows"]) == report["samples"])
    rows = list(csv.DictReader(ask("tree", "--csv", *options).splitlines()))
    print(len(rows) == len(report["rows"]), len(rows) > 20)
flat = json.loads(ask("tree", "--children", "--json"))["rows"]
print(sum(row["self"]["samples"] for row in flat) == int(sys.argv[1]))
deep = {row["depth"] for row in json.loads(ask("tree", "--json", "--depth", "3"))["rows"]}
print(sorted(deep))
END
assay tree --limit 4 | sed -e 1,2d -e '/^WARNING/,$d' -e '/^Advice/,$d' | wc -l
assay tree --csv --min-percent 10 | sed 1d | awk -F , '$16 < 0.1' | wc -l
[ "$(assay tree --context syscall --csv | wc -l)" -lt "$(assay tree --csv | wc -l)" ] && echo filtered
assay tree --comm no-such-thread 2>&1
echo "exit $?"
