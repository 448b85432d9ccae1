# A planted change of 30 points is found, in every format, and nothing is between equals.
. "$CASES/recordings"
assay diff before.assay after.assay | tr -s ' ' | grep -o -E 'significant +work +(growing|steady)' | sort
assay diff --csv before.assay after.assay | python3 -c "
import csv, sys
rows = {row['function']: row for row in csv.DictReader(sys.stdin)}
print('csv', rows['growing']['verdict'], 0.05 < float(rows['growing']['low']) < float(rows['growing']['change']) < 0.45)"
assay diff --json --by stack before.assay after.assay | python3 -c "
import json, sys
out = json.load(sys.stdin)
changed = [row['stack'][-1]['function'] for row in out['rows'] if row['significant']]
print('json', out['version'], sorted(set(changed) & {'growing', 'steady'}))"
assay diff --csv before.assay before.assay | grep -c significant
assay diff --per wall --by image before.assay before.assay | grep -o 'within noise  work'
