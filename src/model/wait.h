/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait.h - the time in which threads did not run
 *
 * A wait is a stretch between two times on a CPU.  It becomes samples like any other, of events
 * that are named here and whose weights are nanoseconds: one sample of how long the thread was
 * asleep, under the reason, and one of how long it then waited for a CPU.  Its stack is the place
 * where it waited, its time the end of the wait.  Nothing of this is sampled by chance: every wait
 * of at least the least duration (fact "off_cpu_min_ns") is there.
 *
 * Shorter ones come as sums of one thread, without a stack.  A sum comes also at the end of each
 * thread and of the recording, be it of nothing: so the last sample of a thread says until when it
 * lived.
 */
#ifndef ASSAY_MODEL_WAIT_H
#define ASSAY_MODEL_WAIT_H

#include "model/model.h"

enum wait_kind {
	WAIT_BLOCKED,			/* asleep */
	WAIT_BLOCKED_IO,		/* ... for what the kernel counts as a disk */
	WAIT_BLOCKED_UNINTERRUPTIBLE,	/* ... where no signal would wake it */
	WAIT_STOPPED,			/* by a signal or a debugger */
	WAIT_RUNNABLE,			/* awake, but others ran */
	WAIT_PREEMPTED,			/* it was put aside while it could have gone on */
	WAIT_SHORT_BLOCKED,		/* sums of the waits below the least duration */
	WAIT_SHORT_RUNNABLE,
	WAIT_SHORT_COUNT,		/* weight: how many they were; no time */
	WAIT_WAKER,			/* of who ended a wait: how long the other was asleep */
	WAIT_KIND_COUNT
};

/* The name of its event: "off-cpu:blocked". */
const char *wait_kind_name(enum wait_kind kind);

/* The kind that is called @name, or -1. */
int wait_kind_of_name(const char *name);

/*
 * Appends the events, one for each kind, and the fact; *ret_first is the one of kind 0.  -ENOMEM,
 * or -E2BIG where samples could not name that many.
 */
int wait_events_add(struct model *model, uint64_t min_ns, uint32_t *ret_first);

#endif
