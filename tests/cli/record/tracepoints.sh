# Both collectors see each hit of a tracepoint, no hit of others, and what a period stands for.
[ "$(id -u)" -eq 0 ] || { echo "only root may see tracepoints"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
[ "$(nproc)" -ge 2 ] || { echo "needs two CPUs"; exit 77; }
cat >work.py <<'EOF'
import os
os.sched_setaffinity(0, {0})
for _ in range(600):
    os.getppid()
if os.fork() == 0:
    for _ in range(400):
        os.getppid()
    os._exit(0)
os.wait()
EOF
kept() {
	assay sql --csv file "SELECT event.name, context.name AS context, count(*) AS samples,
		sum(weight) AS weight FROM sample JOIN event ON event.id = event
		JOIN context ON context.id = context GROUP BY 1, 2" | tail -n +2
}
CALLS=syscalls:sys_enter_getppid
for collector in bpf ring; do
	assay record -q --collector $collector -o file -e $CALLS,sched:sched_process_fork -- \
		python3 work.py
	echo $collector; kept
	assay sql --csv file "SELECT value FROM meta WHERE key = 'collector'" | tail -n 1
done
# Others of the machine are nobody's business, nor are CPUs that were not asked for.
python3 work.py & assay record -q --collector bpf -o file -e $CALLS -- sleep 0.5; wait; kept
assay record -q --collector bpf -C 1 -o file -e $CALLS -- python3 work.py; kept
# Each tenth stands for ten, on each CPU: of who is wanted, or (ring) of all, who may come between.
assay record -q --collector bpf -c 10 -o file -e $CALLS -- python3 work.py; kept
assay record -q --collector ring -c 10 -o file -e $CALLS,page-faults -- python3 work.py
assay sql --csv file "SELECT count(*) BETWEEN 98 AND 102, min(weight), max(weight) FROM sample
	JOIN event ON event.id = event WHERE name = '$CALLS'" | tail -n 1
assay sql --csv file "SELECT count(*) > 0, min(weight), max(weight) FROM sample
	JOIN event ON event.id = event WHERE name = 'page-faults'" | tail -n 1
# What the kernel has no hits of in user mode is taken, and gives none.
assay record -q --collector bpf -o file -e sched:sched_switch:u -- python3 work.py; kept
echo done
