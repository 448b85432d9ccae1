# A planted change is found, and nothing is between equals; files that are none are refused.
run() { assay stat -r 8 --json -e page-faults,cs -o "$1" -- sh -c "$2"; }
run before.json 'true'
run after.json 'env true; env true'
assay stat --diff before.json after.json | tr -s ' ' | grep -o 'significant page-faults'
assay stat --diff before.json before.json | grep -c significant
assay stat --diff --csv before.json after.json | python3 -c "
import csv, sys
rows = {row['event']: row for row in csv.DictReader(sys.stdin)}
row = rows['page-faults']
print('csv', row['verdict'], 0 < float(row['low']) < float(row['change']) < float(row['high']))"
assay stat --diff --json before.json after.json | python3 -c "
import json, sys
out = json.load(sys.stdin)
row = out['counters'][0]
print('json', out['version'], row['event'], row['verdict'], row['p'] <= row['p_adjusted'] < 0.05, out['unmatched'])"
# An event that was counted in two groups is compared group by group.
echo '{"version": 1, "results": [{"counters": [
	{"event": "a", "unit": "events", "values": [1, 2, 1, 2]},
	{"event": "a", "unit": "events", "values": [10, 11, 10, 11]},
	{"event": "b", "unit": "events", "values": [1, 2, 1, 2]},
	{"event": "a", "unit": "events", "values": [100, 101, 100, 101]}]}]}' >groups.json
assay stat --diff --csv groups.json groups.json | cut -d , -f 2-6,11
sed '/10, 11/d' groups.json >fewer.json
assay stat --diff --csv groups.json fewer.json | cut -d , -f 2-5
assay stat --diff fewer.json groups.json | tail -n 1
assay stat --json -e page-faults,major-faults -o once.json -- true
assay stat --diff once.json before.json | tr -s ' ' | grep -o -e 'unknown page-faults' -e 'counters left out.*'
assay stat -I 100 --json -e cs -o intervals.json -- sleep 0.25
head -c 100 before.json >cut.json
echo '{"version": 2, "results": []}' >other.json
echo '{"version": 1, "results": [{"counters": [{"event": 7, "values": []}]}]}' >nameless.json
echo '{"version": 1, "results": [{"counters": [{"event": "a\u001b[2J", "values": ["1", null, 2, {}]}]}]}' >odd.json
echo '{"version": 1, "results": [{"counters": {"a": {"event": "a"}, "b": {"event": "b"}}}]}' >object.json
cp "$SOURCE/tests/fuzz/corpus/stat_file/object-as-key" keys.json
echo '{"version": 1, "results": [{"counters": [{"event": "a", "unit": "\u001b[2J", "values": [1]}]}]}' >unit.json
many() { echo "{\"version\": 1, \"results\": [{\"counters\": [{\"event\": \"a\", \"values\": [$(
	seq -s , "$1")]}]}]}"; }
many 10000 >most.json
many 10001 >many.json
assay stat --diff most.json most.json | tr -s ' ' | grep -o 'within noise a'
for file in intervals.json cut.json other.json nameless.json nothing.json object.json many.json keys.json unit.json; do
	assay stat --diff "$file" before.json
	echo "exit $?"
done
assay stat --diff odd.json odd.json | tr -s ' '
assay stat --diff odd.json before.json
echo "exit $?"
