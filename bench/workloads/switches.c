/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switches COUNT CPU
 *
 * Two processes on one CPU pass a byte back and forth through pipes, so that each transfer is a
 * context switch. Prints the nanoseconds per switch.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static int fail(const char *what)
{
	perror(what);
	return 1;
}

/* Sends one byte for each byte received, until the other process closes its end. */
static void answer(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1)
		if (write(out, &byte, 1) != 1)
			break;
}

static int ask(int in, int out, unsigned long round_trips)
{
	char byte = 'x';

	for (unsigned long i = 0; i < round_trips; i++)
		if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1)
			return fail("switches: pipe");
	return 0;
}

int main(int argc, char **argv)
{
	int there[2], back[2], status;
	unsigned long count;
	uint64_t start_ns;
	cpu_set_t cpu;
	pid_t child;

	if (argc != 3) {
		fprintf(stderr, "usage: switches COUNT CPU\n");
		return 2;
	}
	count = strtoul(argv[1], NULL, 10);
	CPU_ZERO(&cpu);
	CPU_SET(strtoul(argv[2], NULL, 10), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) < 0 || pipe(there) < 0 || pipe(back) < 0)
		return fail("switches");
	child = fork();
	if (child < 0)
		return fail("switches: fork");
	if (child == 0) {
		close(there[1]);
		close(back[0]);
		answer(there[0], back[1]);
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	start_ns = clock_ns(CLOCK_MONOTONIC);
	status = ask(back[0], there[1], count / 2);
	printf("%.1f\n", (double)(clock_ns(CLOCK_MONOTONIC) - start_ns) / (double)count);
	close(there[1]);
	waitpid(child, NULL, 0);
	return status;
}
