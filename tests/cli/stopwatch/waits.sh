# What the time of calls was: on a CPU, waiting for one, asleep. Compared with the kernel's counts.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >waits.c <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
NOINLINE void nap(void) { usleep(20000); }
NOINLINE void burn(void)
{
	struct timespec now;
	do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); while (now.tv_sec == 0 && now.tv_nsec < 300000000);
}
NOINLINE void both(void) { nap(); burn(); }
static void read_times(unsigned long long *ran, unsigned long long *waited)
{
	FILE *file = fopen("/proc/self/schedstat", "r");
	if (!file || fscanf(file, "%llu %llu", ran, waited) != 2) _exit(1);
	fclose(file);
}
/* Two processes share one CPU. Prints the CPU time of one in both(), and how long it waited for the CPU. */
int main(void)
{
	unsigned long long ran, waited, ran_before, waited_before;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	pid_t pid = fork();
	for (int i = 0; pid && i < 5; i++) nap();
	read_times(&ran_before, &waited_before);
	if (pid) both(); else { usleep(100000); burn(); _exit(0); }
	read_times(&ran, &waited);
	printf("%llu %llu\n", ran - ran_before, waited - waited_before);
	waitpid(pid, NULL, 0);
	return 0;
}
END
cc -O1 -o waits waits.c || { echo "no compiler"; exit 77; }
assay stopwatch -q --csv -o spans.csv --off-cpu --by process ./waits:nap ./waits:both syscall:clock_nanosleep \
	-- ./waits >own || exit
head -n 1 spans.csv | cut -d, -f17-
# Columns: 4 total, 17 on CPU, 18 runnable, 19 blocked
awk -F, -v own="$(cat own)" 'BEGIN { split(own, kernel, " ") }
	function near(a, b) { return a > b * 0.9 - 5e6 && a < b * 1.1 + 5e6 }
	NR > 1 { sum = $17 + $18 + $19; if (!near(sum, $4)) print "sum", $2, sum, $4 }
	$2 == "nap" { print $2, $3, ($19 >= 100e6), ($17 < 50e6) }
	$2 == "both" { print $2, $3, near($17, kernel[1]), near($18, kernel[2]), ($19 >= 20e6) }
	$2 == "clock_nanosleep" { slept += $19 }
	END { print "asleep", (slept >= 220e6) }' spans.csv | LC_ALL=C sort
assay stopwatch -q --json --off-cpu ./waits:both -- ./waits >spans.json
grep -c '"blocked_ns": [1-9]' spans.json
assay stopwatch -q --off-cpu -o table --from ./waits:nap --to ./waits:nap%return -- ./waits >own
sed -n '1s/  */ /gp; 2s/^ *\([0-9]*\) .* \(- *- *-\) .*/\1 \2/p' table | sed 's/  */ /g'
