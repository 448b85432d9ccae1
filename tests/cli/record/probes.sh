# Probes that others made through tracefs are the ring's, which is said.
[ "$(id -u)" -eq 0 ] || { echo "only root may make probes"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
EVENTS=/sys/kernel/tracing/uprobe_events
GROUP=assay_test_$$
[ -w $EVENTS ] || { echo "this kernel has no uprobes"; exit 77; }
echo 'int main(void) { return 0; }' | cc -x c -o empty - || { echo "no compiler"; exit 77; }
start=$(nm empty | awk '$3 == "main" { print $1 }')
echo "p:$GROUP/main $PWD/empty:0x$start" >$EVENTS || { echo "the probe was refused"; exit 77; }
assay record -o file -e $GROUP:main -- ./empty 2>&1 | head -n 1 | sed "s/$GROUP/GROUP/g"
assay sql --csv file 'SELECT count(*) FROM sample' | tail -n 1
assay record -o file -e $GROUP:main --collector bpf -- ./empty 2>&1 | sed "s/$GROUP/GROUP/g"
echo "-:$GROUP/main" >>$EVENTS
