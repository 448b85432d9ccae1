/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity.h - is it still the same process, running the same program?
 *
 * A tgid is given to one process after the other, and a process runs one program after the other.
 * Records of forks and execs tell; where they were lost, or where /proc shows a later moment than
 * the sample that is asked about, what is known has to be compared with what is shown:
 *
 * The process by its start.  Whoever has the tgid later started after the one before it ended, so
 * after all that was recorded of that one.  /proc cuts starts to ticks of 1/USER_HZ s: two exact
 * numbers of ticks must agree; a FORK record's time is a little later than the start itself, and
 * the start in /proc is at most that.  A successor that started in the same tick would be taken
 * for the same process, but a number that was just given comes round only after all others.
 *
 * The program by where exec() has put code and stack.  The stack's place is random, and depends on
 * arguments and environment where that is switched off, so another program does not agree by
 * chance.  Forked children agree with their parents in it: they run the same.  In the midst of
 * exec() the stack has a place that is not final while the code has none.
 *
 * 0 is not known everywhere.
 */
#ifndef ASSAY_PROCESS_IDENTITY_H
#define ASSAY_PROCESS_IDENTITY_H

#include "process/proc_read.h"
#include "perf/record.h"

struct identity {
	uint64_t start_ns;		/* CLOCK_MONOTONIC: it had started by then */
	uint64_t start_ticks;		/* exactly, in 1/USER_HZ s since boot */
	uint64_t start_code, start_stack;	/* as in /proc/TGID/stat */
};

enum identity_match {
	IDENTITY_SAME,
	IDENTITY_UNCLEAR,	/* the same process, but nothing is known of the program */
	IDENTITY_OTHER_PROGRAM,	/* of the same process */
	IDENTITY_OTHER_PROCESS,
	IDENTITY_NOBODY,	/* nobody has the tgid any more, or only what exit has left */
};

/* @shown is what has the tgid at a later moment. Never IDENTITY_NOBODY. */
enum identity_match identity_compare(const struct identity *known, const struct identity *shown);

struct identity identity_of_task(const struct proc_task *leader);
/* @boot_shift_ns: of our own time namespace, as /proc shows starts (process/time_shift.h). */
struct identity identity_of_owner(const struct record_owner *owner, int64_t boot_shift_ns);

/* Two readings of one tgid: nothing has changed between them. */
bool identity_is_unchanged(const struct proc_task *before, const struct proc_task *after);

#endif
