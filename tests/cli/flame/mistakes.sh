# What cannot be drawn or written is said, and no recording is overwritten by mistake.
. "$CASES/../report/busy"
cp profile.assay before
assay flame -o profile.assay 2>&1
echo "exit $?"
cmp profile.assay before && echo "still there"
ln before same
for output in before same; do
	assay flame --diff before -o "$output" 2>&1
	echo "exit $?"
done
cmp profile.assay before && echo "still there"
cp before empty.assay
python3 -c "
import sqlite3
with sqlite3.connect('empty.assay') as db:
	db.execute(\"delete from block where kind = 'sample'\")"
for recordings in 'before empty.assay' 'empty.assay before'; do
	assay flame --diff $recordings 2>&1
	echo "exit $?"
	assay flame --diff $recordings --context user 2>&1
	echo "exit $?"
done
assay flame --comm no-such-thread 2>&1
echo "exit $?"
assay flame --color rainbow 2>&1 | head -n 1
assay flame -o /nowhere/graph.svg 2>&1
echo "exit $?"
assay flame >/dev/full 2>&1 || assay flame -o /dev/full 2>&1
echo "exit $?"
assay flame one two 2>&1 | head -n 1
