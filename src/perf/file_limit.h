/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_limit.h - raises the limit on open files as far as possible
 *
 *	file_limit_raise(&before)	raises the soft limit to the hard limit
 *	file_limit_restore(&before)	restores the soft limit before a command inherits it
 *
 * Counting needs one file per event and CPU or thread, which soon exceeds the usual soft limit of
 * 1024. That limit is low because programs that use select(2) fail if a descriptor is 1024 or more,
 * and the command that we start may be such a program. Lowering the limit again does not close any
 * files: descriptors above the limit stay open. The limit applies to the whole process, so only the
 * thread that starts commands may change it.
 */
#ifndef ASSAY_PERF_FILE_LIMIT_H
#define ASSAY_PERF_FILE_LIMIT_H

#include <sys/resource.h>

/* If the limit cannot be raised, it stays unchanged, and no error is reported. */
void file_limit_raise(struct rlimit *ret_before);
void file_limit_restore(const struct rlimit *before);

#endif
