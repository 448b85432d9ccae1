/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost FILE COMMAND [ARG...]: runs the command and writes its cost to FILE in one line: wall ns,
 * user us, system us (including children that it waited for), peak resident KiB, exit status.
 *
 * This is a separate program because peak memory is inherited across exec: measured from a large
 * process, every child would appear to be at least as large.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(int argc, char **argv)
{
	struct rusage used;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: cost FILE COMMAND [ARG...]\n");
		return 2;
	}
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid) {
		perror("cost");
		return 1;
	}
	uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
	FILE *file = fopen(argv[1], "w");

	if (!file) {
		perror(argv[1]);
		return 1;
	}
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	fprintf(file, "%lu %ld %ld %ld %d\n", (unsigned long)wall_ns,
		used.ru_utime.tv_sec * 1000000 + used.ru_utime.tv_usec,
		used.ru_stime.tv_sec * 1000000 + used.ru_stime.tv_usec, used.ru_maxrss, status);
	return fclose(file) == 0 ? status : 1;
}
