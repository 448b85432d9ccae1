# What cannot be exported or written is said, and no recording is overwritten by mistake.
. "$CASES/../report/busy"
cp profile.assay before
assay export 2>&1 | head -n 1
assay export -f floppy 2>&1 | head -n 1
assay export -f folded one two 2>&1 | head -n 1
assay export -f folded -o profile.assay 2>&1
echo "exit $?"
cmp profile.assay before && echo "still there"
assay export -f folded --comm no-such-thread >/dev/null 2>&1
echo "exit $?"
for format in $(assay list formats | awk '$2 == "export" { print $1 }'); do
	assay export -f $format -o /nowhere/out 2>&1
	assay export -f $format -o /dev/full 2>&1 | grep -v ' lost: '
	assay export -f $format >/dev/full 2>/dev/null && echo "$format: no error"
done
assay export -f folded missing.assay 2>&1
echo "exit $?"
# What has room for one event says what it leaves out.
assay record -q -e cpu-clock,page-faults -o two.assay -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; ls -R /usr/include >/dev/null'
for format in folded gmon pprof; do
	assay export -f $format -o out two.assay 2>&1 | grep -o -E 'samples of other events were left out: format [a-z]+ holds only one event'
done
assay export -f folded --event page-faults -o out two.assay 2>&1 | grep -c 'left out' || true
