# What was flushed before kill -9 can be read.
enough() {
	count=$(assay sql profile.assay 'SELECT count(*) FROM sample' 2>/dev/null | tail -n 1)
	[ "${count:-0}" -gt 20 ]
}
sh -c 'while :; do :; done' &
spinner=$!
assay record -q -e cpu-clock -M 100 -F 999 -p $spinner &
recorder=$!
for try in $(seq 100); do
	enough && break
	sleep 0.2
done
kill -KILL $recorder $spinner
wait 2>/dev/null
enough && echo readable
