# Whoever asks an unfinished recording is told so once, and no more when it has its names.
sh -c 'while :; do :; done' &
spinner=$!
assay record -q -e cpu-clock -M 100 -F 999 -p $spinner &
recorder=$!
sleep 1.5
assay sql -c 'SELECT count(*) > 0 AS growing FROM sample' 2>&1
kill -KILL $recorder $spinner
wait 2>/dev/null
assay sql -c 'SELECT count(*) > 0 AS cut FROM sample' 2>&1
assay report >/dev/null 2>&1
assay sql -c 'SELECT count(*) > 0 AS whole FROM sample' 2>&1
