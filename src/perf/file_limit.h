/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_limit.h - as many open files as we may have
 *
 *	file_limit_raise(&before)	the soft limit becomes the hard one
 *	file_limit_restore(&before)	before a command is started, which inherits it
 *
 * Counters need a file for each event at each place, which is soon more than the soft limit of
 * 1024; that is so low for programs that use select(2), and a command that we start may be one.
 * Files that are open stay so when the limit falls below their number.  The limit is the
 * process's: for the thread that starts commands alone.
 */
#ifndef ASSAY_PERF_FILE_LIMIT_H
#define ASSAY_PERF_FILE_LIMIT_H

#include <sys/resource.h>

/* On failure nothing changes, and there are as many files as there are. */
void file_limit_raise(struct rlimit *ret_before);
void file_limit_restore(const struct rlimit *before);

#endif
