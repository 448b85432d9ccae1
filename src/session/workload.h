/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload.h - the command that is profiled: a child that waits until we are ready
 *
 * workload_start() forks; the child waits for workload_release() before it execs, so that the
 * events are in place when its first instruction runs.  A failed exec is reported by
 * workload_release() with the errno of the child (-ENOENT -> status 127, others -> 126; the
 * child itself exits with the same).  The child keeps our standard streams; signals are
 * unblocked and at their defaults, except those that our own caller made us ignore.
 *
 * Gate and answer are one socket pair: a byte from us opens it, an errno from the child says
 * that exec failed, its closing by a successful exec that it did not.  When we die, the child
 * sees it close and exits without having run anything.
 */
#ifndef ASSAY_SESSION_WORKLOAD_H
#define ASSAY_SESSION_WORKLOAD_H

#include <sys/types.h>

#include "base/err.h"

struct workload {
	pid_t pid;		/* 0 when there is none, or it was waited for */
	int pidfd;		/* readable when it has exited */
	int gate_fd;		/* our end; -1 once released */
	const char *command;	/* argv[0], the caller's */
};

/* @argv: NULL-terminated, looked for in PATH. On failure there is nothing to clean up. */
int workload_start(struct workload *workload, char *const argv[], struct err *err);

/* Once: lets the child go and returns when it has become the command, or could not. */
int workload_release(struct workload *workload, struct err *err);

/* Waits for the exit; the status a shell would show (128 + signal). */
int workload_wait(struct workload *workload);

/* A child still at the gate exits; one that runs is left alone. */
void workload_fini(struct workload *workload);

#endif
