# Each run counts the threads that there are by then, however many they were at the first.
cat >many.py <<'END'
import os, threading, time
open("up", "w").close()
while not os.path.exists("go"):
    time.sleep(0.02)
for _ in range(400):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
open("many", "w").close()
time.sleep(600)
END
python3 many.py &
many=$!
until [ -e up ]; do sleep 0.02; done
assay stat -p $many -r 3 --json -e page-faults,task-clock -- \
	sh -c 'touch go; until [ -e many ]; do sleep 0.02; done' | python3 -c "
import json, sys
result, = json.load(sys.stdin)['results']
faults = result['counters'][0]
print(result['runs'], len(faults['values']), faults['values'][0] >= 400, faults['partial'])"
# More counters than the soft limit of files, which the command has as it was in each run.
(ulimit -Sn 64
assay stat -p $many -r 2 -o out -e page-faults,task-clock -- sh -c 'ulimit -Sn')
echo "exit $?"
kill $many
