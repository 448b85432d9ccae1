# One line for each gate; 3 when one fails; the values are those of the report.
assay record -q -e cpu-clock -F 999 -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); umask 022; done'
assay check --min-samples 1 --max-lost 100% --max-late 100 --min-complete 0 | sed 's/ [0-9.]* \(%\|samples\) (/ N (/'
assay check --min-samples 1000000000 --min-complete 0 >out
echo "exit $?"
cut -d' ' -f1 out
assay check --json --min-complete 50 --min-symbolized 50% --max-skipped 1000000 --max-lost 1000000 >out
python3 - <<'END'
import json, subprocess
gates = {gate["gate"]: gate for gate in json.load(open("out"))["gates"]}
report = json.loads(subprocess.check_output(["assay", "report", "--json"]))
health = report["health"]
stacks, names = health["stacks"], health["names"]
complete = 100 * (stacks["whole"] + stacks["kernel only"]) / sum(stacks.values())
named = 100 * (1 - names["none"] / sum(names.values()))
print(sorted(gates), all(gate["ok"] for gate in gates.values()))
print("as reported", abs(gates["min-complete"]["value"] - complete) < 1e-6,
      abs(gates["min-symbolized"]["value"] - named) < 1e-6)
END
