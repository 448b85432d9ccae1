# What slow calls have that others have not: values, events and waits, in a recording.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
cat >worker.c <<'EOF'
#include <sys/mman.h>
#include <unistd.h>
/* One of 100 calls touches 256 pages instead of 2, and every other of these also sleeps. */
__attribute__((noinline, noclone)) long work(unsigned long bytes, int sleeps)
{
	volatile char *memory = mmap(0, bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned long i = 0; i < bytes; i += 4096)
		memory[i] = 1;
	munmap((void *)memory, bytes);
	if (sleeps)
		usleep(3000);
	return sleeps ? -11 : (long)(bytes / 4096);
}
int main(void)
{
	for (int i = 0; i < 2000; i++)
		work(i % 100 == 7 ? 1 << 20 : 8192, i % 200 == 7);
	return 0;
}
EOF
cc -O1 -g -o worker worker.c || { echo "no compiler"; exit 77; }
# rows RECORDING SQL: the rows of a query, without titles
rows() { assay sql "$1" "$2" | tail -n +2 | tr -s ' ' | sed 's/^ //'; }

echo "# sums of all calls, and of the slow ones"
assay stopwatch -q --value bytes --counters page-faults --interrupts --slow p99 --trace -o a.assay --json \
	./worker:work -- ./worker >a.json
jq -r '.spans[] | "\(.calls) \(.counters.bytes.total) \(.counters.bytes.no_amount)",
	"\(.counters["page-faults"].total | (. >= 9080 and . < 9180)) \(.incomplete_calls)",
	"\(.blocked_ns > 20e6) \(.on_cpu_ns > 0) \(.interrupts_ns >= 0)",
	"\(.slow.recorded | (. >= 10 and . <= 40))",
	"\(.slow.counters["page-faults"].per_call > 50) \(.slow.counters.bytes.per_call > 200000)",
	"\(.slow.blocked_ns > 20e6) \(.slow.total_ns < .total_ns)"' a.json
assay report --stopwatch a.assay | grep -E ' of each|  (time|on CPU|runnable|blocked|interrupts|page-faults|bytes)$' |
	sed 's/.*  //'
assay report --stopwatch --csv a.assay | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR == 2 { print $at["bytes"], ($at["page-faults"] + 0 >= 9080), ($at["blocked_ns"] + 0 > 20e6) }'
assay report --json a.assay | jq -r '.spans[0].counters.bytes.total'

echo "# single calls"
rows a.assay "SELECT count(*), min(counter_1) >= 256, min(counter_2), max(counter_2),
	sum(counter_5 > 2900000) FROM span WHERE counter_2 > 8192"
rows a.assay "SELECT name, is_time, is_counter FROM event WHERE is_counter"
rows a.assay "SELECT count(*) FROM sample s JOIN event e ON e.id = s.event
	WHERE e.name NOT LIKE 'span:%' AND (s.counter_1 OR s.counter_2 OR s.counter_3)"
assay trace -i a.assay --event 'span:*' --span slow --fields event,counters --csv 2>/dev/null |
	grep -c 'span:worker:work,page-faults=25.* span-value:bytes=1048576' |
	awk '{ print ($1 >= 10) }'
assay export -f chrome -o a.trace a.assay 2>/dev/null
jq '[.traceEvents[] | select(.ph == "X" and .args["span-value:bytes"] == 1048576)] | length' a.trace

echo "# results, some of which are errors"
assay stopwatch -q --value retval --trace -o b.assay --json ./worker:work -- ./worker |
	jq -r '.spans[] | "\(.calls) \(.counters.retval.total) \(.counters.retval.no_amount)"'
rows b.assay "SELECT count(*), sum(counter_1 = -11), sum(counter_1 = 2), sum(counter_1 = 256) FROM span"

echo "# a merged recording has the sums of both"
assay merge -q -o c.assay a.assay b.assay
rows c.assay "SELECT e.name, a.total, a.missing FROM span_amount a JOIN event e ON e.id = a.counter
	WHERE e.name LIKE 'span-value:%' ORDER BY e.name"
rows c.assay "SELECT count(*) FROM span WHERE counter_2 = 1048576"
assay check c.assay | grep -c 'whole *yes'

echo "# an altered sum is left out"
sqlite3 a.assay "DROP TABLE sealed; UPDATE span_amount SET missing = 1000000"
assay report --stopwatch --json a.assay 2>&1 | grep -o '"calls": 2000,$\|row-damaged.*\|"counters".*'
assay report --stopwatch a.assay 2>&1 >/dev/null | cut -c 1-60

exec 2>&1
assay stopwatch --slow p99 -o d.assay --value pages ./worker:work -- ./worker
echo "exit $?"
assay stopwatch --slow p99 -o d.assay --counters no-such-event ./worker:work -- ./worker
echo "exit $?"
assay stopwatch --slow p99 -o d.assay --value prev_pid tracepoint:sched:sched_switch -- ./worker
echo "exit $?"
ls d.assay
true
