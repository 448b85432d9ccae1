/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_guard.h - restores the terminal even if the program is killed
 *
 * A full-screen program that dies from SIGKILL or a crash leaves the terminal without echo and on
 * the alternate screen, and no handler in the program itself can prevent that. So a child process
 * waits on a pipe. When the program dies, the pipe's write end is closed, the child reads end of
 * file, and restores the terminal.
 */
#ifndef ASSAY_CLI_TERMINAL_GUARD_H
#define ASSAY_CLI_TERMINAL_GUARD_H

#include <sys/types.h>

struct terminal_guard {
	pid_t pid;	/* 0 if there is no guard */
	int fd;		/* write end of the pipe */
};

/* What the guard does when the program has died. */
struct terminal_last_will {
	const char *restore;		/* escape sequences that leave the alternate screen */
	void (*clean_up)(void *context);	/* called afterwards, or NULL */
	void *context;
};

/*
 * Starts the guard. Call this before the terminal is changed. Returns 0 or a negative errno; the
 * caller can go on without a guard.
 */
int terminal_guard_start(struct terminal_guard *guard, int terminal_fd,
			 const struct terminal_last_will *will);

/* Ends the guard without action, after the program itself has restored the terminal. */
void terminal_guard_end(struct terminal_guard *guard);

#endif
