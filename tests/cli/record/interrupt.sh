# ^C ends a recording cleanly: the file is whole.
assay record -q -e cpu-clock -p $$ &
recorder=$!
for try in $(seq 300); do
	[ -s profile.assay ] && break
	sleep 0.2
done
sleep 0.5
kill -INT $recorder
wait $recorder
echo "exit $?"
assay report >/dev/null && echo readable
ls
