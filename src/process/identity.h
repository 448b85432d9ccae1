/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity.h - checks whether a tgid still belongs to the same process, running the same program
 *
 * The kernel reuses tgids, and a process may run one program after another. Records of fork and
 * exec report these changes. But such records may be lost, and we may read /proc later than the
 * sample was taken. Then the known identity of the process must be compared with the identity that
 * /proc shows now.
 *
 * A process is identified by its start time. If two processes have the same tgid one after the
 * other, the second starts after the first has exited, and so after everything that was recorded
 * about the first. /proc rounds start times down to ticks of 1/USER_HZ s. If both identities
 * contain start ticks, the ticks must be equal. If only the time of a FORK record is known, that
 * time is a little later than the start itself, so the start time in /proc must not be later than
 * the FORK record. A process that reused the tgid within the same tick would be mistaken for the
 * first process, but the kernel reuses a tgid only after it has used all others.
 *
 * A program is identified by the addresses at which exec() placed its code and its stack. The stack
 * address is random. If randomization is off, the stack address depends on arguments and
 * environment. So two programs are unlikely to have the same addresses by chance. A forked child
 * has the same addresses as its parent, because it runs the same program. In the middle of exec()
 * the stack address is not final, and the code address is not set yet.
 *
 * In every field 0 means unknown.
 */
#ifndef ASSAY_PROCESS_IDENTITY_H
#define ASSAY_PROCESS_IDENTITY_H

#include "process/proc_read.h"
#include "perf/record.h"

struct identity {
	/* CLOCK_MONOTONIC time at which the process started, or a slightly later time */
	uint64_t start_ns;
	uint64_t start_ticks;		/* exact start, in units of 1/USER_HZ s since boot */
	uint64_t start_code, start_stack;	/* as in /proc/TGID/stat */
};

enum identity_match {
	IDENTITY_SAME,
	IDENTITY_UNCLEAR,	/* same process, but it may run another program */
	IDENTITY_OTHER_PROGRAM,	/* same process, other program */
	IDENTITY_OTHER_PROCESS,
	IDENTITY_NOBODY,	/* the tgid is unused, or belongs to an exited process */
};

/*
 * Compares the known identity of a process with @shown, which was read later from the process that
 * then had the same tgid. Never returns IDENTITY_NOBODY.
 */
enum identity_match identity_compare(const struct identity *known, const struct identity *shown);

struct identity identity_of_task(const struct proc_task *leader);
/*
 * Converts the identity that the in-kernel sampler sent. In a time namespace, the start times in
 * /proc are shifted by the namespace's offset. @boot_shift_ns is this offset for our own namespace
 * (process/time_shift.h), and it is added to the start time.
 */
struct identity identity_of_owner(const struct record_owner *owner, int64_t boot_shift_ns);

/*
 * Compares two readings of the same tgid in /proc. Returns true if process, program and comm are
 * the same.
 */
bool identity_is_unchanged(const struct proc_task *before, const struct proc_task *after);

#endif
