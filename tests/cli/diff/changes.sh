# A planted change is found, in every format and measure, and nothing is between equals.
. "$CASES/recordings"
assay diff before.assay after.assay | tr -s ' ' | grep -o -E 'significant +work +(growing|steady)' | sort
assay diff --csv --per share before.assay after.assay | python3 -c "
import csv, sys
rows = {row['function']: row for row in csv.DictReader(sys.stdin)}
print('csv', rows['growing']['verdict'], 0.2 < float(rows['growing']['low_share']) < float(rows['growing']['change_share']) < 0.7)"
assay diff --json --by stack before.assay after.assay | python3 -c "
import json, sys
out = json.load(sys.stdin)
changed = [row['stack'][-1]['function'] for row in out['rows'] if row['significant']]
print('json', out['version'], out['per'], out['unit'], out['total']['measured'],
      out['total']['before_seconds'] > 0, out['rows'][0]['low_seconds'] < out['rows'][0]['change_seconds'], sorted(set(changed) & {'growing', 'steady'}))"
assay diff --csv before.assay before.assay | grep -c significant
assay diff --per wall --by image before.assay before.assay | grep -o 'within noise  work'
# The head says how much CPU time the command took, and the table has seconds.
assay diff before.assay after.assay | sed -n 3p | grep -c -E '^CPU time [0-9.]+ m?s -> [0-9.]+ m?s, [+-][0-9]+ % \[[+-][0-9]+, [+-][0-9]+\]'
assay diff before.assay after.assay | tr -s ' ' | grep -c -E '^ [0-9.]+ m?s [0-9.]+ m?s \+[0-9.]+ m?s \[.*significant work growing$'
for per in run share sample second wall; do
	assay diff --json --per $per before.assay after.assay | python3 -c "
import json, sys
out = json.load(sys.stdin)
print(out['per'], out['unit'], 'total' in out, 'before_' + out['unit'] in out['rows'][0])"
done
