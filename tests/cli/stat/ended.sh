# Counting ends with the processes, also where a thread goes on after its leader.
sleep 1 &
assay stat -p $! --csv -e task-clock | wc -l
wait
python3 - <<'EOF' &
import ctypes, threading, time
def last():
    time.sleep(1.6)
threading.Thread(target=last).start()
ctypes.CDLL(None).pthread_exit(None)
EOF
until grep -q 'State:.*zombie' /proc/$!/status; do sleep 0.05; done
assay stat -p $! --csv -e task-clock | sed -n 's/^,,elapsed-time,ns,1,\([0-9]*\),.*/\1/p' |
	awk '{ print ($1 > 300000000) }'
# ^C prints what there is.
assay stat -p $$ -e task-clock >out &
counting=$!
sleep 0.5
kill -INT $counting
wait $counting
echo "exit $?"
grep -o 'task-clock' out
# So it does with a command that still runs, whose status is waited for.
assay stat -e page-faults -o out -- sh -c 'trap "" INT; sleep 1; exit 4' &
counting=$!
sleep 0.5
kill -INT $counting
wait $counting
echo "exit $?"
tr -s ' ' <out | grep -o -e page-faults -e 'not counted user-time'
# A run that ^C cuts short is not counted among those before.
assay stat -r 5 -e page-faults --csv -o out -- sh -c 'n=$(cat n 2>/dev/null || echo 0)
	echo $((n + 1)) >n; [ $n -lt 2 ] || exec sleep 1' &
counting=$!
until [ "$(cat n 2>/dev/null)" = 3 ]; do sleep 0.05; done
kill -INT $counting
wait $counting
echo "exit $?"
cut -d , -f 3-5 out | head -n 2
# A command that ^C leaves running is waited for, also where a run before it failed.
assay stat -r 3 -e page-faults -o out -- sh -c '[ -e failed ] || { touch failed; exit 9; }
	trap "" INT; touch waiting; sleep 1; touch finished' &
counting=$!
until [ -e waiting ]; do sleep 0.05; done
kill -INT $counting
wait $counting
echo "exit $?"
ls finished
