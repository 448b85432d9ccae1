/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spinner SECONDS [CPU]: an uninvolved process. It makes no system call while it spins. After
 * SECONDS of CPU time it prints its loop count, and its user and system time in microseconds as the
 * kernel reports them.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>

static volatile sig_atomic_t done;

static void on_signal(int signal)
{
	done = signal;
}

__attribute__((noinline)) static unsigned long spin(void)
{
	unsigned long count = 0;

	while (!done)
		count++;
	return count;
}

int main(int argc, char **argv)
{
	long run_us = argc > 1 ? (long)(strtod(argv[1], NULL) * 1e6) : 1000000;
	struct itimerval timer = { .it_value = { run_us / 1000000, run_us % 1000000 } };
	struct rusage used;

	if (argc > 2) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(strtoul(argv[2], NULL, 10), &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0) {
			perror("spinner: sched_setaffinity");
			return 1;
		}
	}
	signal(SIGPROF, on_signal);
	setitimer(ITIMER_PROF, &timer, NULL);

	unsigned long count = spin();

	getrusage(RUSAGE_SELF, &used);
	printf("%lu %ld %ld\n", count, used.ru_utime.tv_sec * 1000000 + used.ru_utime.tv_usec,
	       used.ru_stime.tv_sec * 1000000 + used.ru_stime.tv_usec);
	return 0;
}
