/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload.h - the profiled command: a child process that waits until assay is ready
 *
 * workload_start() forks. The child waits for workload_release() before it calls exec, so that the
 * events are open when its first instruction runs. If exec fails, workload_release() returns the
 * child's errno. -ENOENT means exit status 127, any other error 126; the child itself exits with
 * the same status. The child keeps our standard streams. Its signals are unblocked and have their
 * default actions, except for signals that our own caller made us ignore.
 *
 * One socket pair is both the gate and the channel for the answer. A byte from us opens the gate.
 * An errno from the child says that exec failed. A successful exec closes the child's end, which
 * says that exec did not fail. If assay dies, the child sees the socket close and exits without
 * running the command.
 */
#ifndef ASSAY_SESSION_WORKLOAD_H
#define ASSAY_SESSION_WORKLOAD_H

#include <sys/types.h>

#include "base/err.h"

struct workload {
	pid_t pid;		/* 0 if there is none or it was already waited for */
	int pidfd;		/* becomes readable when the child exits */
	int gate_fd;		/* our end of the socket pair; -1 after release */
	const char *command;	/* argv[0], borrowed */
};

/*
 * Starts the child. @argv is NULL-terminated; the command is searched in PATH. On failure there is
 * nothing to clean up.
 */
int workload_start(struct workload *workload, char *const argv[], struct err *err);

/*
 * Releases the child. Returns when the child has executed the command or failed to. Call it once.
 */
int workload_release(struct workload *workload, struct err *err);

/* Waits for the child to exit. Returns the status that a shell would show (128 + signal). */
int workload_wait(struct workload *workload);

/*
 * A child that still waits at the gate exits. A child that already runs the command is left alone.
 */
void workload_fini(struct workload *workload);

#endif
