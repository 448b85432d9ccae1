/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forkstorm SECONDS CHILD [WORKERS [BURN_US]]: runs WORKERS workers (default: 2). Each worker
 * starts one CHILD after another, and each child burns BURN_US microseconds (default: 200). Prints
 * the number of children and the children per second.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define WORKERS_MAX 64

static void work(char **child, uint64_t end_ns, unsigned long *ret_count)
{
	static char *no_environment[] = { NULL };

	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		pid_t pid;
		int status, r = posix_spawn(&pid, child[0], NULL, NULL, child, no_environment);

		if (r != 0) {
			fprintf(stderr, "forkstorm: %s: %s\n", child[0], strerror(r));
			_exit(1);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			_exit(1);
		++*ret_count;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: forkstorm SECONDS CHILD [WORKERS [BURN_US]]\n");
		return 2;
	}
	double seconds = strtod(argv[1], NULL);
	unsigned long workers = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
	unsigned long burn_us = argc > 4 ? strtoul(argv[4], NULL, 10) : 200;
	unsigned long *counts = mmap(NULL, WORKERS_MAX * sizeof(*counts), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char steps[32];
	char *child[] = { argv[2], steps, NULL };

	if (workers > WORKERS_MAX || counts == MAP_FAILED) {
		fprintf(stderr, "forkstorm: cannot have %lu workers\n", workers);
		return 1;
	}
	snprintf(steps, sizeof(steps), "%lu", (unsigned long)burn_steps_per_us() * burn_us);
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);

	for (unsigned long i = 0; i < workers; i++)
		if (fork() == 0)
			work(child, end_ns, &counts[i]);

	int status, failed = 0;
	unsigned long total = 0;

	while (wait(&status) > 0)
		failed |= status;
	for (unsigned long i = 0; i < workers; i++)
		total += counts[i];
	printf("%lu %.0f\n", total, (double)total / seconds);
	return failed != 0;
}
