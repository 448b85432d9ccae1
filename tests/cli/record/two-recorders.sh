# Records about BPF programs are read right while several recorders listen. The third one loads some.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
assay record -q -a -d 4 -o first.assay & first=$!
assay record -q -a -d 4 -o second.assay & second=$!
sleep 2
assay record -q -a -o third.assay -- true
wait $first; echo "exit $?"
wait $second; echo "exit $?"
for file in first.assay second.assay; do
	assay sql --csv $file "SELECT reason FROM loss WHERE reason = 'record-malformed'"
done
