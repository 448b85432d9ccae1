# All of the time of threads; a recording without waits says how to get them.
. "$CASES/busy"
assay report --wall | sed -n '3,5p' | tr -s ' '
assay report --wall --csv | head -n 1
assay report --wall --by thread --json | python3 -c "
import json, sys
report = json.load(sys.stdin)
for row in report['rows'] + [report['total']]:
    # JSON has nine digits, so each of the up to 13 shares is rounded by up to 5e-10.
    assert abs(sum(part['share'] for part in row['parts']) - 1) < 13 * 5e-10, row
print(report['by'], report['off_cpu'], report['min_wait_seconds'])"
assay report --wall --by image 2>&1; echo "exit $?"
assay report --wall --context user 2>&1; echo "exit $?"
assay report --wall --comm nobody 2>&1; echo "exit $?"
assay tree --wall 2>&1; echo "exit $?"
