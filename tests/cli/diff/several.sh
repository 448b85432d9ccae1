# Several recordings on each side of a colon: means, the values of single runs, and conditions.
. "$CASES/recordings"
cp before.assay b1.assay
cp after.assay a1.assay
# Six runs each, as with three a single slow one hides the change.
for i in 2 3 4 5 6; do
	assay record -q -e cpu-clock -F 999 -o b$i.assay -- ./work 2 &
	assay record -q -e cpu-clock -F 999 -o a$i.assay -- ./work 7 &
	wait
done
assay diff b?.assay : a?.assay | tr -s '\n ' ' ' | grep -o 'means of 6 and 6 recordings'
assay diff --json b?.assay : a?.assay | python3 -c "
import json, sys
out = json.load(sys.stdin)
row = [row for row in out['rows'] if row['function'] == 'growing'][0]
runs = row['before_runs_seconds']
print(out['before']['recordings'], out['after']['recordings'], len(row['after_runs_seconds']))
print('mean', abs(sum(runs) / 6 - row['before_seconds']) < 1e-6, 'change', row['change_seconds'] > 0)"
assay diff b1.assay : a?.assay | tr -s '\n ' ' ' | grep -o 'The 6 recordings of after show how much runs differ; the one of before is assumed to differ as much'
assay diff b1.assay : a1.assay >colon
assay diff b1.assay a1.assay | cmp - colon && echo 'one recording a side is the same with a colon'
assay diff --fail-if 'self(^growing$) > x1.5' b?.assay : a?.assay 2>&1 >/dev/null
echo "exit $?"
assay diff --fail-if 'self(^growing$) < -1%' b?.assay : a?.assay 2>&1 >/dev/null
echo "exit $?"
for words in 'b1 b2 a1' 'b1 :' ': a1' 'b1 : a1 : a2' 'b1 b1 : a1' 'b1 : a1 a1'; do
	assay diff $words 2>&1 | head -1
	assay diff $words >/dev/null 2>&1
	echo "exit $?"
done
