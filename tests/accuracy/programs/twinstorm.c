/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twinstorm SECONDS WORKERS STEPS LOG ALPHA BETA: starts workers that run the twins one after the
 * other; every third twin then runs the other program in its place. The records of their lives are
 * appended to LOG. Prints the number of lives.
 */
#include "twin.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void work(time_t end_s, char *steps, char **programs, int first)
{
	static char *none[] = { NULL };

	for (int i = first; now_s() < end_s; i++) {
		char *next = i % 3 == 0 ? programs[(i + 1) % 2] : NULL;
		char *arguments[] = { programs[i % 2], steps, next, NULL };
		pid_t pid;
		int status;

		if (posix_spawn(&pid, programs[i % 2], NULL, NULL, arguments, none) != 0 ||
		    waitpid(pid, &status, 0) != pid || status != 0)
			_exit(1);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr, "usage: twinstorm SECONDS WORKERS STEPS LOG ALPHA BETA\n");
		return 2;
	}
	time_t end_s = now_s() + strtol(argv[1], NULL, 10);
	int log = open(argv[4], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
	int status, failed = 0;

	if (log < 0 || dup2(log, TWIN_LOG_FD) < 0) {
		perror(argv[4]);
		return 1;
	}
	for (int i = 0; i < (int)strtol(argv[2], NULL, 10); i++)
		if (fork() == 0)
			work(end_s, argv[3], argv + 5, i);
	while (wait(&status) > 0)
		failed |= status;
	printf("%ld\n", (long)(lseek(log, 0, SEEK_END) / (off_t)sizeof(struct twin_life)));
	return failed != 0;
}
