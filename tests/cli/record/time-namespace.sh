# In a time namespace /proc shows other starts than the kernel's programs see: nobody is doubted for
# it. Times of another CLOCK_MONOTONIC than the kernel's are refused.
unshare -Tf --boottime 1 true 2>/dev/null || { echo "a time namespace may not be made here"; exit 77; }
ln -s /bin/sh busy
./busy -c 'while :; do :; done' &
busy=$!
for shift in 100000 -1000; do
	unshare -Tf --boottime $shift assay record -q -e cpu-clock --collector bpf -p $busy -d 1 -F 499 -o file ||
		{ kill $busy; exit 77; }
	assay sql --csv file "SELECT comm, count(*) > 5 FROM sample JOIN thread ON thread.id = thread
		GROUP BY 1" | tail -n +2
	assay sql --csv file "SELECT reason, count FROM loss WHERE reason = 'process-unverified'" |
		tail -n +2
done
kill $busy
unshare -Tf --monotonic 100000 assay record -q -e cpu-clock -o other -- true 2>&1 | cut -d , -f 1
[ -e other ] || echo no recording
