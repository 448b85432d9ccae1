/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait.h - the time during which threads did not run
 *
 * A wait is an interval in which a thread is not on a CPU, between two in which it runs. A wait is
 * recorded as samples of the events listed below. Their weights are nanoseconds. One sample has the
 * duration of the sleep; its event is the reason for the sleep. A second sample has the duration of
 * the wait for a CPU that followed. The stack of both samples is where the thread waited, and their
 * timestamp is the end of the wait. Waits are not sampled by chance: every wait of at least the
 * minimum duration (fact "off_cpu_min_ns") is recorded.
 *
 * Shorter waits are recorded as sums for each thread, without a stack. A sum is also recorded at
 * the end of each thread and at the end of the recording, even if the sum is 0. The last sample of
 * a thread therefore shows until when the thread lived.
 */
#ifndef ASSAY_MODEL_WAIT_H
#define ASSAY_MODEL_WAIT_H

#include "model/model.h"

enum wait_kind {
	WAIT_BLOCKED,			/* asleep */
	/* asleep, waiting for I/O that the kernel counts as disk I/O */
	WAIT_BLOCKED_IO,
	WAIT_BLOCKED_UNINTERRUPTIBLE,	/* asleep, cannot be woken by a signal */
	WAIT_STOPPED,			/* stopped by a signal or a debugger */
	WAIT_RUNNABLE,			/* awake, but waiting for a CPU while other threads ran */
	WAIT_PREEMPTED,			/* preempted while it could have continued */
	/* asleep: sum over all waits shorter than the minimum duration */
	WAIT_SHORT_BLOCKED,
	WAIT_SHORT_RUNNABLE,
	WAIT_SHORT_COUNT,		/* the weight is the number of short waits, not a time */
	/*
	 * a sample of the thread that ended a wait; the weight is how long the woken thread was
	 * asleep
	 */
	WAIT_WAKER,
	WAIT_KIND_COUNT
};

/* Returns the kind with the name @name, or -1. */
int wait_kind_of_name(const char *name);

/*
 * Appends one event for each kind to the model, and sets the fact "off_cpu_min_ns". *@ret_first is
 * the event of the first kind; the events of the other kinds follow. Returns 0, -ENOMEM, or -E2BIG
 * if the event ids would not fit in struct sample.
 */
int wait_events_add(struct model *model, uint64_t min_ns, uint32_t *ret_first);

#endif
