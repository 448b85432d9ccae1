# Whoever asks an unfinished recording is told so once, and no more when it has its names.
sh -c 'while :; do :; done' &
spinner=$!
assay record -q -e cpu-clock -M 100 -F 999 -p $spinner &
recorder=$!
for try in $(seq 300); do
	[ "$(assay sql --csv 'SELECT count(*) > 0 FROM sample' 2>/dev/null | tail -n 1)" = 1 ] && break
	sleep 0.1
done
assay sql -c 'SELECT count(*) > 0 AS growing FROM sample' 2>&1
kill -KILL $recorder $spinner
wait 2>/dev/null
assay sql -c 'SELECT count(*) > 0 AS cut FROM sample' 2>&1
assay report >/dev/null 2>&1
assay sql -c 'SELECT count(*) > 0 AS whole FROM sample' 2>&1
