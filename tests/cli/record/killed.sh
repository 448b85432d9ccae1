# What was flushed before kill -9 can be read.
sh -c 'while :; do :; done' &
spinner=$!
assay record -q -M 100 -F 999 -p $spinner &
recorder=$!
sleep 1.5
kill -KILL $recorder $spinner
wait 2>/dev/null
[ "$(assay sql profile.assay 'SELECT count(*) > 100 FROM sample' | tail -n 1)" -eq 1 ] && echo readable
