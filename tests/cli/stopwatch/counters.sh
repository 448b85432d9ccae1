# Events in calls: each function counts what it does itself, in all threads and in a child.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >counted.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static void touch(long pages)
{
	char *at = mmap(0, (size_t)pages * 65536, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(at, (size_t)pages * 65536, MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++) ((volatile char *)at)[i * 65536] = 1;
	munmap(at, (size_t)pages * 65536);
}
NOINLINE void inner(void) { touch(5); }
NOINLINE void outer(void) { touch(10); inner(); usleep(1000); inner(); touch(20); }
NOINLINE void nothing(void) { __asm__ volatile(""); }
NOINLINE void recursive(int depth) { touch(1); if (depth > 1) recursive(depth - 1); __asm__ volatile(""); }
NOINLINE pid_t forked(void) { pid_t pid; touch(3); pid = fork(); if (!pid) touch(7); return pid; }
static void *many(void *unused) { for (int i = 0; i < 100; i++) { outer(); nothing(); } return unused; }
int main(void)
{
	pthread_t threads[4];
	nothing(); outer();
	recursive(10);
	for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, many, 0);
	for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
	if (forked() == 0) _exit(0);
	wait(0);
	return 0;
}
END
cc -O1 -pthread -o counted counted.c || { echo "no compiler"; exit 77; }
# Columns: 1 image, 2 function, 3 calls, 17 page faults, 18 switches, 19 time on a CPU, 20 calls not counted
# A page fault more is possible where memory is scarce, but few of them. Where the kernel hides switches
# from some tasks, as in some virtual machines, some may be missing.
for way in "" --return-probes; do
	assay stopwatch -q --csv -o spans.csv $way --counters page-faults,context-switches,task-clock \
		./counted:inner ./counted:outer ./counted:nothing ./counted:recursive ./counted:forked \
		syscall:clock_nanosleep -- ./counted || exit
	head -n 1 spans.csv | cut -d, -f17-
	awk -F, 'function about(of_all, of_call) {
			return $17 >= of_all - $20 * of_call && $17 < of_all * 1.02 + 8
		}
		NR > 1 && $20 > 2 + $3 / 10 { print "incomplete:", $2, $20, "of", $3 }
		$2 == "inner" { print $2, $3, about(802 * 5, 5) }
		$2 == "outer" { print $2, $3, about(401 * 40, 40), ($18 >= $3 - $20), ($19 > 0) }
		$2 == "nothing" { print $2, $3, ($17 < 8), ($18 < 100) }
		$2 == "recursive" { print $2, $3, about(55, 10) }
		$2 == "forked" { print $2, $3, ($17 >= 10 - $20 * 10 && $17 < 60) }
		$2 == "clock_nanosleep" { print $2, $3, ($17 < 8), ($18 >= $3 - $20) }' spans.csv | LC_ALL=C sort
done
assay stopwatch -q --json --counters page-faults --by thread ./counted:inner -- ./counted >spans.json
python3 -c '
import json
spans = json.load(open("spans.json"))["spans"]
print(len(spans), [round(span["counters"]["page-faults"]["per_call"] - 0.3) for span in spans])'
assay stopwatch -q --counters page-faults ./counted:inner -- ./counted | head -n 1 | tr -s ' '
assay stopwatch -q --counters page-faults,page-faults,page-faults,page-faults,page-faults ./counted:inner 2>&1
assay stopwatch -q --counters no-such-event ./counted:inner 2>&1
assay stopwatch -q --counters page-faults --from ./counted:inner --to ./counted:inner%return -- ./counted 2>&1 |
	sed -n '2s/ *\([0-9]*\) .* - .*/\1 not counted/p'
