# ^C ends a recording cleanly: the file is whole.
assay record -q -e cpu-clock -p $$ &
recorder=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
	[ -s profile.assay ] && break
	sleep 0.2
done
sleep 0.5
kill -INT $recorder
wait $recorder
echo "exit $?"
assay report >/dev/null && echo readable
ls
