# Entries, a flat profile and an index; callers and callees share out each total.
. "$CASES/../report/busy"
assay callgraph | grep -A 1 -E '^(Call graph|Flat profile|Index by name)$'
assay callgraph --csv --limit 1 | head -n 1
assay callgraph --json | python3 -c "
import json, sys
report = json.load(sys.stdin)
print(report['version'], len(report['entries']) > 20)
for entry in report['entries']:
    total = entry['total']['samples']
    if sum(row['total']['samples'] for row in entry['callers']) != total:
        print('callers of', entry['function'])
    if not entry['is_cycle'] and entry['self']['samples'] + sum(
            row['total']['samples'] for row in entry['callees']) != total:
        print('callees of', entry['function'])"
assay callgraph --json --limit 3 | python3 -c "
import json, sys; print(len(json.load(sys.stdin)['entries']))"
assay callgraph --symbol no_such_function 2>&1
echo "exit $?"
