# A recording of one user's tasks has no waits of other users, not even waits that never ended.
[ "$(id -u)" -eq 0 ] || { echo "needs root to be two users"; exit 77; }
sleep 30 &
other=$!
setpriv --reuid=65534 --clear-groups sleep 30 &
wanted=$!
assay record --uid 65534 --off-cpu -o file -d 0.5 2>err || exit
grep -q 'inside the kernel' err || { echo "the in-kernel sampler cannot be used here"; exit 77; }
kill "$other" "$wanted"
assay sql --csv file 'SELECT uid, count(*) > 0 AS waits FROM sample JOIN thread ON thread.id = sample.thread
	JOIN process ON process.id = thread.process GROUP BY uid'
