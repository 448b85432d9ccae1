/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity.h - is it still the same process, running the same program?
 *
 * The kernel reuses tgids, and a process runs one program after another. Fork and exec records show
 * both. If such records were lost, or if /proc is read later than the sample in question was taken,
 * the known identity has to be compared with the one that /proc shows.
 *
 * A process is identified by its start time. A later owner of a tgid started after the earlier
 * owner exited, and so after everything recorded of the earlier one. /proc rounds start times down
 * to ticks of 1/USER_HZ s. If both tick numbers are known, they must be equal. The time of a FORK
 * record is a little later than the start itself, so the start in /proc must not be later than that
 * time. A process that reused the tgid within the same tick would be treated as the same process,
 * but the kernel reuses a tgid only after all others.
 *
 * A program is identified by the addresses at which exec() placed its code and its stack. The stack
 * address is random; if randomization is off, the address depends on arguments and environment. So
 * two programs do not have the same addresses by chance. A forked child has the addresses of its
 * parent, because it runs the same program. In the middle of exec() the stack has an address that
 * is not final, and the code has no address yet.
 *
 * In every field 0 means unknown.
 */
#ifndef ASSAY_PROCESS_IDENTITY_H
#define ASSAY_PROCESS_IDENTITY_H

#include "process/proc_read.h"
#include "perf/record.h"

struct identity {
	uint64_t start_ns;		/* CLOCK_MONOTONIC time by which the process had started */
	uint64_t start_ticks;		/* exact start, in units of 1/USER_HZ s since boot */
	uint64_t start_code, start_stack;	/* as in /proc/TGID/stat */
};

enum identity_match {
	IDENTITY_SAME,
	IDENTITY_UNCLEAR,	/* the same process, but its program is unknown */
	IDENTITY_OTHER_PROGRAM,	/* same process, other program */
	IDENTITY_OTHER_PROCESS,
	IDENTITY_NOBODY,	/* the tgid is unused, or belongs to an exited process */
};

/*
 * Compares a known identity with @shown, the identity of the tgid's owner at a later time. Never
 * returns IDENTITY_NOBODY.
 */
enum identity_match identity_compare(const struct identity *known, const struct identity *shown);

struct identity identity_of_task(const struct proc_task *leader);
/*
 * Start times in /proc include the shift of our own time namespace, @boot_shift_ns
 * (process/time_shift.h).
 */
struct identity identity_of_owner(const struct record_owner *owner, int64_t boot_shift_ns);

/* Compares two readings of the same tgid. Returns true if nothing changed between them. */
bool identity_is_unchanged(const struct proc_task *before, const struct proc_task *after);

#endif
