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
grep -o 'page-faults' out
