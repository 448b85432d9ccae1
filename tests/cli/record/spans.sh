# Calls are measured while samples are taken: which samples fell into them, and into slow ones.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >server.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile unsigned long sink;
static volatile int ended;
__attribute__((noinline)) void spin(long n) { for (long i = 0; i < n; i++) sink += i * i; }
__attribute__((noinline)) void cheap(void) { spin(10000); }
__attribute__((noinline)) void dear(void) { spin(8000000); usleep(5000); }
__attribute__((noinline)) int request(int i)
{
	cheap();
	if (i % 100 == 0)
		dear();
	return i;
}
static void *beside(void *context) { while (!ended) spin(1000); return context; }
int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2000;
	pthread_t thread;
	pthread_create(&thread, NULL, beside, NULL);
	for (int i = 0; i < count; i++) {
		sink += request(i);
		syscall(SYS_getppid);
	}
	ended = 1;
	pthread_join(thread, NULL);
	return 0;
}
END
cc -O1 -g -pthread -o server server.c || { echo "no compiler"; exit 77; }
rows() { assay sql -i "$1" "$2" | tail -n +2; }
samples() { assay report -i a.assay --by context --csv "$@" 2>/dev/null |
	awk -F, 'NR > 1 { n += $3 } END { print n + 0 }'; }

echo "calls and slow calls"
assay record -q -o a.assay --stopwatch ./server:request --stopwatch syscall:getppid --slow '>2ms' \
	--off-cpu -- ./server
rows a.assay "SELECT e.name, t.count, t.open, t.no_entry, t.unsent, t.slow_ns FROM span_total t
	JOIN event e ON e.id = t.event ORDER BY t.count, e.name"
# on a busy machine, others can be slow, too
rows a.assay "SELECT count(*) >= 20, min(ns) >= 2000000 FROM span
	WHERE slow AND name = 'server:request'"
rows a.assay "SELECT sum(b.count) = t.count FROM span_bucket b JOIN span_total t ON t.event = b.event
	GROUP BY b.event"

echo "samples in calls are those with the function on the stack"
in_calls=$(samples --span server:request --context user)
by_stack=$(samples --symbol request --context user)
echo "$((in_calls > 40)) $((in_calls <= by_stack + 2)) $((by_stack <= in_calls + 2))"
# the other thread executes spin() all the time, but in no call
echo "$(($(samples --symbol beside) > 40)) $(samples --symbol beside --span server:request)"
# slow calls have all of dear(), and a 1/20 of cheap()
dear=$(samples --symbol dear --context user)
slow=$(samples --symbol dear --span slow --context user)
echo "$((slow > 40)) $((slow == dear)) $(samples --symbol dear --span fast)"

echo "what slow calls do differently"
assay diff --wall --span fast:slow a.assay --json | jq -r '.rows[] |
	select(.function == "spin" or .function == "hrtimer_nanosleep") |
	"\(.function) \(.significant) \(.change_seconds_per_event > 0.001)"' | sort
assay diff --wall --span fast:slow a.assay | sed -n 's/^\(wall-time per call\).*, /\1, /p'
assay diff --span fast:slow --per share a.assay | grep -c 'Shares, and the change'
assay diff --span fast:slow --comm server a.assay | grep -c 'Shares, and the change'
assay diff --span fast:slow --comm server --per call a.assay 2>&1

echo "every call"
assay record -q -o b.assay --stopwatch ./server:request --trace-spans -- ./server 300
rows b.assay "SELECT count(*), count(DISTINCT thread) FROM span"
rows b.assay "SELECT count(*) FROM span a JOIN span b
	ON a.start_ns < b.start_ns AND b.start_ns < a.end_ns"
assay export -f chrome -o b.json -i b.assay
jq -r '[.traceEvents[] | select(.ph == "X")] | "\(length) \(.[0].name) \(.[0].dur > 0)"' b.json
assay export -f folded -o b.folded -i b.assay
grep -c span: b.folded
assay trace -i b.assay --event 'span:*' | grep -c server:request

echo "percentiles"
assay record -q -o c.assay --stopwatch ./server:request --slow p99 -- ./server
rows c.assay "SELECT sum(slow) BETWEEN 10 AND 40, sum(CASE WHEN slow THEN ns > 2000000 END) > 10
	FROM span"

echo "slow because of samples"
assay record -q -o g.assay --stopwatch ./server:request --slow 1us -- ./server
assay report -i g.assay --span slow --by function 2>&1 >/dev/null | sed 's/[0-9.]* us/N us/g'
assay report -i a.assay --span slow --by function 2>&1 >/dev/null

echo "two runs"
assay merge -q -o m.assay a.assay c.assay
assay report -i m.assay --stopwatch --csv | cut -d, -f1-3
assay report -i m.assay --section calls | awk 'NF { print $3, $NF }' | sed 1d | sort

echo "presets"
assay record -q -o d.assay --stopwatch syscalls --stopwatch runqueue -- ./server 100
assay report -i d.assay --stopwatch --json |
	jq -r '.spans[] | select(.function == "getppid" or .function == "runqueue") |
	if .calls > 0 then .function else "none" end' | sort
assay report -i d.assay --span runqueue
echo "exit $?"

echo "what cannot be"
exec 2>&1
assay record -q -o e.assay --stopwatch ./server:nothing -- ./server 1
echo "exit $?"
assay record -q -o e.assay --stopwatch nothing -- ./server 1
echo "exit $?"
assay record -q -o e.assay --slow 1ms -- ./server 1
echo "exit $?"
assay record -q -o e.assay --stopwatch ./server:request --slow p100 -- ./server 1
echo "exit $?"
assay record -q -o e.assay --stopwatch ./server:request -u 0 -d 0.1
echo "exit $?"
assay record -q -o e.assay --stopwatch ./server:request --collector ring -- ./server 1
echo "exit $?"
assay record -q -o f.assay -- ./server 1
assay report -i f.assay --stopwatch
echo "exit $?"
assay report -i f.assay --span slow
echo "exit $?"
assay diff --span slow:fast f.assay
echo "exit $?"
