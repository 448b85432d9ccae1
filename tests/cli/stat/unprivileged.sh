# A user without privileges counts what is the user's own, of the kernel what it allows.
[ "$(id -u)" -eq 0 ] || { echo "needs root to give up its privileges"; exit 77; }
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] ||
	{ echo "kernel.perf_event_paranoid is not 2"; exit 77; }
cp "$ASSAY" ./assay && chmod 755 .. assay && chmod 777 .
plain() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"; }
plain ./assay stat -e page-faults,task-clock --json -- true | python3 -c "
import json, sys
out = json.load(sys.stdin)
print(out['user_only'], out['results'][0]['counters'][0]['event'], out['results'][0]['counters'][0]['mean'] > 10)"
plain ./assay stat -e page-faults:k -- touch started 2>&1 | grep -o -e 'perf_event_paranoid is 2'
plain ./assay stat -a -d 1 2>&1 | grep -o 'perf_event_paranoid is 2'
plain ./assay stat -p $$ -d 1 2>&1 | grep -o -e 'the process is not your own'
ls
