/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pager.h - shows long output in the user's pager
 *
 * If stdout is a terminal, output goes through $PAGER (less by default); "cat" and "" disable the
 * pager. $PAGER is split at blanks and executed directly, without a shell. If the variable LESS is
 * not set, it is set to FRX: quit if the text fits on one screen, show colors, do not clear the
 * screen.
 */
#ifndef ASSAY_CLI_PAGER_H
#define ASSAY_CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pager {
	pid_t pid;	/* 0 if there is no pager */
	int stdout_fd;	/* copy of the original stdout while stdout is the pipe to the pager */
};

/*
 * Returns the width of the terminal @fd, in columns. Returns 0 if @fd is not a terminal. A width of
 * 0 means that names are not truncated.
 */
size_t pager_columns(int fd);

/*
 * Makes the process that pager_start() will need, for a command that gives up the right to start
 * programs. It ends with this process if it is not needed.
 */
void pager_prepare(void);

/*
 * Starts the pager and redirects stdout to it. Leaves stdout unchanged if @wanted is false, if
 * stdout is not a terminal, if $PAGER disables the pager, or if the pager cannot be started.
 */
void pager_start(struct pager *pager, bool wanted);

/* Closes the pipe to the pager, waits until the user quits the pager, and restores stdout. */
void pager_end(struct pager *pager);

#endif
