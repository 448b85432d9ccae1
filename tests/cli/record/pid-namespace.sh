# Inside a pid namespace a number is that of a process there, be there another of that number outside.
unshare -pf --mount-proc true 2>/dev/null || { echo "a pid namespace may not be made here"; exit 77; }
[ -w /proc/sys/kernel/ns_last_pid ] || { echo "numbers of processes cannot be chosen"; exit 77; }
for name in inner beside outer; do ln -s /bin/sh $name; done
BUSY='while :; do :; done'
./outer -c "$BUSY" &
outer=$!
export BUSY outer
unshare -pf --mount-proc sh -c '
	./beside -c "$BUSY" & beside=$!
	echo $((outer - 1)) >/proc/sys/kernel/ns_last_pid
	./inner -c "$BUSY" & inner=$!
	echo same number: $((inner == outer))
	for collector in bpf ring; do
		assay record -q -e cpu-clock --collector $collector -p $inner -d 1 -F 499 -o $collector
	done
	kill $beside $inner'
kill $outer
for collector in bpf ring; do
	assay sql --csv $collector "SELECT comm, tgid = $outer AS same, count(*) > 5 AS many FROM sample
		JOIN thread ON thread.id = thread JOIN process ON process.id = thread.process
		GROUP BY 1, 2" | tail -n +2
	assay sql --csv $collector "SELECT value FROM meta WHERE key = 'collector'" | tail -n 1
done
