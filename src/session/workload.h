/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload.h - the profiled command: a child process that waits until assay is ready
 *
 * workload_start() forks. The child waits for workload_release() before it calls exec, so that the
 * events are open when the command executes its first instruction. If exec fails,
 * workload_release() returns the child's errno. The child's exit status is then 127 for -ENOENT and
 * 126 for any other error. The child inherits assay's standard streams. Its signals are unblocked
 * and have their default actions, except that signals other than SIGPIPE that were ignored when
 * assay was started stay ignored.
 *
 * One socket pair is used in both directions. A byte from us releases the child. An errno from the
 * child reports that exec failed. A successful exec closes the child's end, so we read end-of-file.
 * If assay dies, the child reads end-of-file and exits without running the command.
 */
#ifndef ASSAY_SESSION_WORKLOAD_H
#define ASSAY_SESSION_WORKLOAD_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct workload {
	pid_t pid;		/* 0 if there is no child, or if it was already waited for */
	int pidfd;		/* becomes readable when the child exits */
	int gate_fd;		/* our end of the socket pair; -1 after release */
	const char *command;	/* argv[0], borrowed */
};

/*
 * Starts the child. @argv is NULL-terminated; the command is searched in PATH. After a failure
 * there is nothing to clean up.
 */
int workload_start(struct workload *workload, char *const argv[], struct err *err);

/*
 * Releases the child. Returns when the child has executed the command or exec has failed. Must be
 * called only once.
 */
int workload_release(struct workload *workload, struct err *err);

/*
 * Returns the CPU time, in ns, of a child that has exited and was not yet waited for, and of all
 * children that it waited for. Returns 0 if it is not known, for example because the child still
 * runs.
 */
uint64_t workload_cpu_ns(const struct workload *workload);

/* Waits for the child to exit. Returns the status that a shell would show (128 + signal). */
int workload_wait(struct workload *workload);

/*
 * Closes our descriptors. A child that has not been released exits. A child that already runs the
 * command keeps running.
 */
void workload_fini(struct workload *workload);

/*
 * Writes the words of @argv (NULL: none) to @ret_text as one line for display, separated by blanks.
 * If the line does not fit in @size_bytes, it is cut.
 */
void workload_command_line(char *const argv[], char *ret_text, size_t size_bytes);

#endif
