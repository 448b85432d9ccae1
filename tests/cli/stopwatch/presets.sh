# Presets: each can be measured, or says why not. Run queues are compared with what the kernel says.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
assay list presets | cut -c1-40 | sed 's/ *$//'
cat >hogs.c <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void burn(void)
{
	struct timespec now;
	do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); while (now.tv_sec == 0 && now.tv_nsec < 300000000);
}
/* Two processes share one CPU. Prints how long they waited for it. */
int main(void)
{
	unsigned long long total = 0, wait;
	pid_t pids[2];
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0) { burn(); _exit(0); }
	}
	for (int i = 0; i < 2; i++) {
		char path[64];
		siginfo_t info;
		waitid(P_PID, (id_t)pids[i], &info, WEXITED | WNOWAIT);
		snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pids[i]);
		FILE *file = fopen(path, "r");
		if (!file || fscanf(file, "%*s %llu", &wait) != 1) return 1;
		total += wait;
	}
	printf("%llu\n", total);
	return 0;
}
END
cc -O1 -o hogs hogs.c || { echo "no compiler"; exit 77; }
assay stopwatch -q --csv -o spans.csv --preset runqueue -- ./hogs >own || exit
awk -F, -v own="$(cat own)" 'NR > 1 { print $2, ($4 > own * 0.9 && $4 < own * 1.1 + 20e6) }' spans.csv
echo "# disks, interrupts, locks, new processes"
assay stopwatch -q --csv -o spans.csv --preset block-io --preset softirq --preset irq --preset futex \
	--preset fork --preset exec -a -- sh -c '/bin/true; /bin/true'
awk -F, '$2 ~ /^(block-io|irq|softirq)$/ { print $2 }
	$2 ~ /^(clone|clone3|fork|vfork)$/ { forks += $3 }
	$2 == "execve" { print $2, ($3 >= 3) }
	END { print "forks", (forks >= 2) }' spans.csv | LC_ALL=C sort
assay stopwatch -q --csv -o spans.csv --preset syscalls -- /bin/true
awk -F, '$2 == "execve" { print $2, $3 }' spans.csv
