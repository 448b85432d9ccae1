# What the stopwatch can measure.
cat >some.c <<'END'
int first_one(int i) { return i + 1; }
int first_two(int i) { return i + 2; }
int other(int i) { return i + 3; }
int main(void) { return other(-3); }
END
cc -O1 -o some some.c || { echo "no compiler"; exit 77; }
assay list probes './some:first_*' | awk '{ print $1, $2, ($3 == "fast" || $3 == "slow" || $3 == "-") }'
assay list probes syscall:getp*d | awk '{ print $1, $2, $3 }' | sort
assay list probes ./some:nothing
echo "exit $?"
assay list probes syscall:nothing
echo "exit $?"
assay list probes nothing 2>&1
echo "exit $?"
assay list probes ./nothing:main 2>&1
echo "exit $?"
assay list probes -j ./some:main | sed "s/, \"entry.*/}/"
[ ! -r /sys/kernel/tracing/events/sched/sched_switch/id ] ||
	assay list probes 'tracepoint:sched:sched_swit*' | awk '{ if ($1 != "tracepoint:sched:sched_switch" || $2 != "tracepoint") print }'
assay list probes | grep -c 'syscall:openat '
