/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait.h - the time during which threads did not run
 *
 * A wait is an interval in which a thread is not on a CPU, between two intervals in which it runs.
 * The thread may first sleep and then wait for a CPU. Each of these two parts of a wait is recorded
 * as a sample of one of the events below. The weight of the sample is the duration of the part in
 * ns. The event of the first part tells why the thread slept. The stack of both samples is where
 * the thread waited, and their timestamp is the end of the wait. Waits are not sampled
 * statistically: every wait of at least the minimum duration (fact "off_cpu_min_ns") is recorded.
 *
 * Of shorter waits, only the sums for each thread are recorded, without a stack. The number of
 * short waits is also recorded at the end of each thread and at the end of the recording, even if
 * it is 0. The last sample of a thread therefore shows until when the thread lived.
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
	WAIT_PREEMPTED,			/* from the preemption of the thread until it runs again */
	/* asleep: sum over all waits shorter than the minimum duration */
	WAIT_SHORT_BLOCKED,
	WAIT_SHORT_RUNNABLE,
	WAIT_SHORT_COUNT,		/* the weight is the number of short waits, not a time */
	/*
	 * a sample of the thread that woke another thread; the weight is the time that the other
	 * thread was asleep
	 */
	WAIT_WAKER,
	WAIT_KIND_COUNT
};

/* What a thread does. */
enum thread_state {
	THREAD_RUNNING,
	THREAD_RUNNABLE,		/* awake, but waiting for a CPU */
	THREAD_PREEMPTED,
	THREAD_BLOCKED,
	THREAD_BLOCKED_IO,
	THREAD_BLOCKED_UNINTERRUPTIBLE,
	THREAD_STOPPED,
	THREAD_STATE_COUNT
};

/* Returns "running", "blocked on I/O", ... */
const char *thread_state_name(enum thread_state state);

/*
 * Returns the state of a thread during a wait of this kind. Returns THREAD_RUNNING for -1, and for
 * kinds that are no time of the thread itself: WAIT_SHORT_COUNT and WAIT_WAKER.
 */
enum thread_state wait_kind_state(int kind);

/*
 * Returns the waker of the wait whose sample is element @index of the batch: the sample of
 * @waker_event that belongs to the same wait, or NULL if there is none. The samples of one wait
 * are adjacent, with the same time and CPU, and the waker comes last (intake/waits.c).
 */
const struct sample *wait_waker(const struct sample_batch *batch, size_t index,
				uint32_t waker_event);

/* Returns the event of @kind, or MODEL_NO_EVENT. */
#define MODEL_NO_EVENT UINT32_MAX
uint32_t wait_event_of(const struct model *model, enum wait_kind kind);

/* Returns the kind with the name @name, or -1. */
int wait_kind_of_name(const char *name);

/*
 * Appends one event for each kind to the model, and sets the fact "off_cpu_min_ns". *@ret_first is
 * the event of the first kind; the events of the other kinds follow. Returns 0, -ENOMEM, or -E2BIG
 * if the event ids would not fit in struct sample.
 */
int wait_events_add(struct model *model, uint64_t min_ns, uint32_t *ret_first);

#endif
