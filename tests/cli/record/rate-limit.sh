# The kernel may have lowered what it allows: the default follows, what was asked for is refused.
[ "$(id -u)" -eq 0 ] || { echo "needs root to show another limit"; exit 77; }
unshare -m true 2>/dev/null || { echo "a mount namespace may not be made here"; exit 77; }
allowed=/proc/sys/kernel/perf_event_max_sample_rate
limited() {
	echo "$1" >limit && shift
	unshare -m sh -c "mount --bind limit $allowed && exec \"\$@\"" sh assay "$@"
}
rate() { assay sql --csv file "SELECT CAST(round(1e9 / period) AS INT) FROM event" | tail -n 1; }
limited 500 record -e cpu-clock -o file -- true 2>&1 | grep instead
rate
assay report --full file | tr -s ' \n' ' ' | grep -o 'limit 500 Hz .* allowed'
limited 500 record -e cpu-clock -F 501 -o refused -- true 2>&1 || ls refused 2>&1
limited 998 record -e cpu-clock -c 1000000 -o file -- true 2>&1 | grep -c instead
rate
limited 999 record -e cpu-clock -o file -- true 2>&1 | grep -c instead
rate
limited 50 record -e cpu-clock -a -d 0.1 -o file 2>&1 | grep instead
rate
