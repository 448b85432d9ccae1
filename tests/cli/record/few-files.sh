# With few open files allowed, the files of processes give way to the recording.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
record() { ( ulimit -n "$1"; assay record -q -a -C 0 -e cpu-clock -o "$2" -- sleep 0.3; echo "exit $?" ) 2>&1; }
record 44 few.assay
assay sql few.assay "SELECT value FROM meta WHERE key = 'collector'" | tail -n 1
record 12 none.assay | sed 's/.*\(Too many open files\)/\1/'
ls
