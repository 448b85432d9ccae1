/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pager.h - long output through the user's pager
 *
 * Where stdout is a terminal, $PAGER (or less) reads what is printed; "cat" and "" mean none.
 * $PAGER is split at blanks and executed directly: no shell ever sees it.  LESS defaults to
 * FRX: quit when it fits one screen, leave the screen as it is.
 */
#ifndef ASSAY_CLI_PAGER_H
#define ASSAY_CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pager {
	pid_t pid;	/* 0: none */
	int stdout_fd;	/* the terminal, while stdout leads to the pager */
};

/* Of the terminal that stdout is; 0 where it is none, and names are not cut. */
size_t pager_columns(void);

/* From here on stdout leads to the pager; without one everything stays as it is. */
void pager_start(struct pager *pager, bool wanted);

/* Closes stdout's pipe, waits for the user to leave the pager, restores stdout. */
void pager_end(struct pager *pager);

#endif
