# A user without privileges profiles what is the user's own.
[ "$(id -u)" -eq 0 ] || { echo "needs root to give up its privileges"; exit 77; }
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] ||
	{ echo "kernel.perf_event_paranoid is above 2"; exit 77; }
cp "$ASSAY" ./assay && chmod 755 .. assay && chmod 777 .
plain() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"; }
plain ./assay record -q -e cpu-clock -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
echo "exit $?"
[ "$(plain ./assay sql profile.assay 'SELECT count(*) > 10 FROM sample' | tail -n 1)" -eq 1 ] &&
	echo sampled
plain ./assay record -q -a -d 1 2>&1 | grep -q -e perf_event_paranoid -e CAP_PERFMON && echo explained
plain ./assay record --off-cpu -o waits -- true 2>&1; echo "exit $?"
