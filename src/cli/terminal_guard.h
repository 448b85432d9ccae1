/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_guard.h - restores the terminal even if the program is killed
 *
 * If a full-screen program is killed by SIGKILL or a crash, the terminal stays without echo and on
 * the alternate screen. No handler inside the program can prevent that. So a child process, the
 * guard, waits on a pipe. When the program dies, the kernel closes the write end of the pipe. The
 * guard then reads end of file and restores the terminal.
 */
#ifndef ASSAY_CLI_TERMINAL_GUARD_H
#define ASSAY_CLI_TERMINAL_GUARD_H

#include <sys/types.h>

struct terminal_guard {
	pid_t pid;	/* 0 if there is no guard */
	int fd;		/* write end of the pipe */
};

/* What the guard does if the program dies. */
struct terminal_last_will {
	const char *restore;		/* escape sequences that leave the alternate screen */
	/* called after the terminal was restored; may be NULL */
	void (*clean_up)(void *context);
	void *context;
};

/*
 * Starts the guard. Call this before changing the terminal's settings. Returns 0 or a negative
 * errno. After an error, the caller can continue without a guard.
 */
int terminal_guard_start(struct terminal_guard *guard, int terminal_fd,
			 const struct terminal_last_will *will);

/*
 * Ends the guard without restoring the terminal. The program must already have restored the
 * terminal.
 */
void terminal_guard_end(struct terminal_guard *guard);

#endif
