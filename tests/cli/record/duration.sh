# status: 143
# -d ends the recording; the command goes on, its exit status is ours, and it gets our signals.
assay record -q -e cpu-clock -d 0.2 -- sh -c 'sleep 0.6; exit 7'
echo "exit $?"
assay record -q -e cpu-clock -d 0.2 -- sleep 60 2>message &
recorder=$!
while ! grep -q waiting message; do sleep 0.1; done
cat message
kill -TERM $recorder
wait $recorder
