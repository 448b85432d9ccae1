/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_guard.h - gives the terminal back as it was, also for a program that was killed
 *
 * Who draws on the whole screen leaves the terminal without echo and on its other screen when it
 * dies of SIGKILL or a crash, and no handler of its own can help.  A child that only waits for its
 * end can: it reads from a pipe, whose end says that nobody holds the other side any more.
 */
#ifndef ASSAY_CLI_TERMINAL_GUARD_H
#define ASSAY_CLI_TERMINAL_GUARD_H

#include <sys/types.h>

struct terminal_guard {
	pid_t pid;	/* 0: none */
	int fd;		/* write end of the pipe */
};

/* What a guard does when nobody is left to. */
struct terminal_last_will {
	const char *restore;		/* the terminal's own sequences to leave its other screen */
	void (*clean_up)(void *context);	/* NULL: nothing else */
	void *context;
};

/* Before the terminal is changed. 0 or a negative errno; without a guard all else works. */
int terminal_guard_start(struct terminal_guard *guard, int terminal_fd,
			 const struct terminal_last_will *will);

/* The terminal is as it was: the guard goes. */
void terminal_guard_end(struct terminal_guard *guard);

#endif
