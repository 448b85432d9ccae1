# Without capabilities the whole machine is refused, and the way to allow it is named.
[ "$(id -u)" -eq 0 ] || { echo "needs root to give up its privileges"; exit 77; }
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] ||
	{ echo "kernel.perf_event_paranoid allows everything to everybody"; exit 77; }
cp "$ASSAY" ./assay && chmod 755 . .. assay
setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all ./assay doctor |
	grep -A 2 'whole machine'
