# Several recorders begin at once with one file name. Each writes a whole recording, or says why not.
# Of those that ended, the last one and the one before are kept.
record_some() {
	for run in 1 2 3 4 5 6; do
		assay record -q -e task-clock -F 99 -o place/file -- true 2>"message.$1.$run"
		echo "$?" >"status.$1.$run"
	done
}
mkdir place
echo "--- other statuses and messages"
recorders=
for recorder in 1 2 3 4 5 6; do
	record_some $recorder &
	recorders="$recorders $!"
done
wait $recorders
cat status.* | sort | uniq -c | awk '$2 != 0 && $2 != 1 { print "status", $2 }'
cat message.* | grep -v ': another assay process is writing to this file$' | sort -u
echo "--- $(cat status.* | grep -c '^0$' | awk '{ print ($1 > 0) ? "some" : "none" }') were written"
for file in place/*; do
	assay check "$file" >/dev/null 2>&1 || assay report --section losses "$file" 2>&1 >/dev/null
	assay sql --csv "$file" "SELECT count(*) > 0 AS samples FROM meta WHERE key = 'end_ns'" | tail -n 1
done
ls place
