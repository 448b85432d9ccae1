# The usage models from which the stopwatch comes, as far as they need no hardware counters and no
# probes in the kernel; those of the kernel are in tests/vm/checks.sh.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >models.c <<'END'
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static volatile long sink;
NOINLINE void list_move(long item, long queue) { sink += item * queue; }
NOINLINE void hot(void)
{
	struct timespec now;
	do {	/* mostly user code: few samples may be in the system call */
		for (int i = 0; i < 100000; i++) sink += i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec == 0 && now.tv_nsec < 300000000);
}
NOINLINE void caller(void) { hot(); sink++; }
int main(int argc, char **argv)
{
	if (!strcmp(argv[1], "hot")) caller();
	/* Each of 10 items is 20 ms in queue 1, 40 ms in queue 2, and then leaves for 0. */
	if (!strcmp(argv[1], "move"))
		for (long queue = 1; queue <= 3; queue++) {
			for (long item = 0; item < 10; item++) list_move(item, queue % 3);
			if (queue < 3) usleep(20000 * (unsigned)queue);
		}
	if (!strcmp(argv[1], "fork"))
		for (int i = 0; i < 4; i++) {
			if (fork() == 0) _exit(0);
			wait(NULL);
		}
	return 0;
}
END
cc -O1 -g -fno-omit-frame-pointer -o models models.c || { echo "no compiler"; exit 77; }
assay record -q -e cpu-clock -F 999 -o models.assay -- ./models hot
echo "# statistical stack sampling: the path to the hot function"
assay tree -i models.assay --limit 0 2>&1 | grep -c -E 'main|caller|hot' | awk '{ print ($1 >= 3) }'
echo "# time based aggregation: samples by process and image"
assay report -i models.assay --by application,image --csv | grep -c '^models,.*models' | awk '{ print ($1 >= 1) }'
echo "# time a routine, part 1: exec"
assay stopwatch -q --csv -o spans.csv syscall:execve -- ./models fork
awk -F, 'NR > 1 { print $2, $3, ($4 > 0 && $7 > 0 && $12 >= $7) }' spans.csv
echo "# time a routine, part 3: fork, parent and child apart"
assay stopwatch -q --csv -o spans.csv --preset fork --by retval-sign -- ./models fork
awk -F, 'NR > 1 { calls[$17] += $3; ns[$17] += $4 } END { for (sign in calls) print sign, calls[sign], (ns[sign] > 0) }' spans.csv |
	LC_ALL=C sort
echo "# timing items in a queue"
assay stopwatch -q --csv -o spans.csv --from ./models:list_move --to ./models:list_move --key arg0 -- ./models move
awk -F, 'NR > 1 { print $3, ($4 >= 10 * 60e6), $14 }' spans.csv
echo "# following an item as it moves to different queues"
assay stopwatch -q --csv -o spans.csv --follow ./models:list_move --key arg0 --place arg1 -- ./models move
awk -F, 'NR > 1 { print $2, "queue " $17, $3, ($7 >= $17 * 20e6) }' spans.csv | LC_ALL=C sort
echo "# each item in each queue"
assay stopwatch -q --csv -o spans.csv --follow ./models:list_move --key arg0 --place arg1 --by arg0 -- ./models move
awk -F, 'NR > 1 && $17 { pairs++; wrong += $3 != 1 || $7 < $17 * 20e6; items += $18 } END { print pairs, wrong, items }' spans.csv
assay stopwatch --follow ./models:list_move --key arg0 2>&1 | head -n 1
assay stopwatch --place arg1 ./models:list_move 2>&1 | head -n 1
