# Files of others are read by processes without rights. If one of them dies, another takes over.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
[ "$INSIDE" ] || INSIDE=1 exec unshare --mount --propagation private sh "$0"
cat >program.c <<'END'
char padding[8 << 20] = { 1 };	/* keeps the symbol table away from the code */
int main(void) { for (volatile unsigned long i = 0;; i++); }
END
cc -O1 -o built program.c || { echo "no compiler"; exit 77; }
export XDG_CACHE_HOME=$PWD/cache
mkdir cache mounted

# start PROGRAM FILE: records PROGRAM for two seconds, and finds the children of assay
start() {
	$1 >/dev/null 2>&1 &
	program=$!
	assay record -q -a -e cpu-clock -F 499 -o "$2" -- sleep 2 &
	recorder=$!
	sleep 1
	children=$(pgrep -P $recorder -U 65534)
}

finish() { wait $recorder; echo "exit $?"; kill -KILL $program; }
names() { assay sql "$1" "SELECT group_concat(DISTINCT function) AS functions FROM flat
	WHERE image LIKE '%/$2'" | tail -n 1; }

echo "--- no rights, and all but one with seccomp"
start ./built first.assay
for pid in $children; do
	grep -E '^(CapEff|CapPrm|CapInh|CapAmb|NoNewPrivs|Uid|Gid|Groups):' /proc/$pid/status | tr -s '\t ' ' '
done | sort | uniq -c | awk '{ $1 = ""; print }'
for pid in $children; do grep '^Seccomp:' /proc/$pid/status; done | sort -u | tr '\t' ' '
# A reader at work holds its file and its reply besides. So wait until all are idle.
for try in $(seq 200); do
	held=$(for pid in $children; do ls /proc/$pid/fd; done | sort -u)
	[ "$held" = 0 ] && break
	sleep 0.02
done
echo "$held"
echo "--- killed"
for pid in $children; do grep -q '^Seccomp:.2' /proc/$pid/status && kill -KILL $pid && echo killed; done
finish
names first.assay built
assay report --section losses first.assay | grep -c reader-ended

echo "--- a file system that no longer answers after the program was opened"
[ -c /dev/fuse ] || { echo "needs FUSE"; exit 77; }
python3 "$SOURCE/tests/support/silent_mount.py" mounted built silent >/dev/null 2>&1 &
server=$!
trap 'kill -KILL $program $server' EXIT
for try in $(seq 100); do
	[ -e mounted/program ] && break
	sleep 0.1
done
[ -e mounted/program ] || { echo "FUSE cannot be mounted here"; exit 77; }
start mounted/program second.assay
: >silent
finish
names second.assay program
assay report --section losses second.assay | grep -o 'files *reader-ended' | tr -s ' '
