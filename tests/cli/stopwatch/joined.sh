# Spans from one point to another. The program counts and times what it does itself.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
cat >joined.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static volatile long sink;
NOINLINE void put_item(long item) { sink += item; }
NOINLINE void take_item(long item) { sink -= item; }
NOINLINE long make(long i) { sink += i; return i * 3; }
NOINLINE void drop(long made) { sink -= made; }
NOINLINE long leaf(long i) { sink += i; return sink; }
NOINLINE long outer(long n) { long sum = 0; for (long i = 0; i < n; i++) sum += leaf(i); return sum; }
static long now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}
static void report(const char *name, long ns)
{
	FILE *own = fopen(name, "w");
	fprintf(own, "%ld\n", ns);
	fclose(own);
}
static void *take_all(void *unused) { for (long i = 0; i < 100; i++) take_item(i); return NULL; }
/* All items wait in a queue for 20 ms; another thread takes them. */
static void queue(void)
{
	pthread_t thread;
	long begin_ns = now_ns();
	for (long i = 0; i < 100; i++) put_item(i);
	usleep(20000);
	pthread_create(&thread, NULL, take_all, NULL);
	pthread_join(thread, NULL);
	report("own", now_ns() - begin_ns);
}
/* 7 are dropped, 3 made again before, and 4 were never made. */
static void lost(void)
{
	for (long i = 0; i < 10; i++) make(i % 7);
	for (long i = 0; i < 7; i++) drop(i * 3);
	for (long i = 100; i < 104; i++) drop(i);
}
static void nested(void)
{
	long begin_ns = now_ns();
	for (int i = 0; i < 100; i++) outer(50);
	report("own", now_ns() - begin_ns);
}
static void children(void)
{
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();
		if (pid == 0) { usleep(20000); _exit(0); }
		waitpid(pid, NULL, 0);
	}
}
int main(int argc, char **argv)
{
	if (!strcmp(argv[1], "queue")) queue();
	if (!strcmp(argv[1], "lost")) lost();
	if (!strcmp(argv[1], "nested")) nested();
	if (!strcmp(argv[1], "children")) children();
	if (!strcmp(argv[1], "calls")) for (int i = 0; i < 50; i++) syscall(SYS_getsid, syscall(SYS_getppid));
	return 0;
}
END
cc -O1 -pthread -o joined joined.c || { echo "no compiler"; exit 77; }
counts() { tail -n +2 spans.csv | cut -d, -f2,3,13-16; }
measure() { assay stopwatch -q --csv -o spans.csv "$@"; }
echo "# an item in a queue"
measure --from ./joined:put_item --to ./joined:take_item --key arg0 -- ./joined queue
counts
awk -F, -v own="$(cat own)" 'NR > 1 { print ($7 >= 20e6 && $4 >= 100 * 20e6 && $4 <= 100 * own) }' spans.csv
echo "# a result that becomes an argument"
measure --from ./joined:make%return --to ./joined:drop --key retval=arg0 -- ./joined lost
counts
echo "# from one call to the next: 99"
measure --from ./joined:put_item --to ./joined:put_item -- ./joined queue
counts
echo "# the same without a key of the thread: none is taken by the thread that put it"
measure --from ./joined:put_item --to ./joined:take_item --key tid,arg0 -- ./joined queue
counts
echo "# system calls"
measure --from syscall:getppid%return --to syscall:getsid --key retval=arg0 -- ./joined calls
counts
echo "# the life of a process, from tracepoints"
measure -a --from tracepoint:sched:sched_process_fork --to tracepoint:sched:sched_process_exit \
	--key child_pid=pid -- ./joined children
awk -F, 'NR > 1 { print $2, ($3 >= 5), ($9 >= 5e6) }' spans.csv
echo "# two points that name the same function: it is measured once"
measure ./joined:leaf './joined:lea*' syscall:getppid 'syscall:getpp*' -- ./joined nested
counts | LC_ALL=C sort
echo "# the probes of the inner calls are not time of the outer"
measure ./joined:outer ./joined:leaf -- ./joined nested
counts | LC_ALL=C sort
awk -F, -v own="$(cat own)" '$2 == "outer" { print ($4 < own / 2) }' spans.csv
echo "# arguments of system calls by their names"
assay stopwatch -q --csv -o spans.csv --by count syscall:read -- dd if=/dev/zero of=/dev/null bs=7 count=1000 2>/dev/null
awk -F, '$17 == 7 { print $2, $3 }' spans.csv
assay stopwatch -q --csv -o spans.csv --from syscall:close --to syscall:close --key tgid,fd -- \
	sh -c 'for i in 1 2 3; do exec 9</dev/null; exec 9<&-; done'
awk -F, 'NR > 1 { print ($3 >= 2) }' spans.csv
