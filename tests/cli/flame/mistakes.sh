# What cannot be drawn or written is said, and no recording is overwritten by mistake.
. "$CASES/../report/busy"
cp profile.assay before
assay flame -o profile.assay 2>&1
echo "exit $?"
cmp profile.assay before && echo "still there"
assay flame --comm no-such-thread 2>&1
echo "exit $?"
assay flame --color rainbow 2>&1 | head -n 1
assay flame -o /nowhere/graph.svg 2>&1
echo "exit $?"
assay flame >/dev/full 2>&1 || assay flame -o /dev/full 2>&1
echo "exit $?"
assay flame one two 2>&1 | head -n 1
