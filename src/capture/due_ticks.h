/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * due_ticks.h - how many samples perf should have written, from the counts of its events
 *
 * The kernel counts an event while it is enabled, and takes a sample when the count has grown by a
 * period. So the count tells how many samples were due, whatever became of them:
 *
 *	due = count / period = sent + ring-full + missing
 *
 * "Missing" are the ticks that the kernel did not even try to write: the timer of a clock came more
 * than a period late, or the event was throttled. The equation is exact up to one tick for each
 * place (a CPU, or a thread on a CPU) and each change of the period, because a timer that is
 * stopped loses the part of its period that has passed. Nothing is known of events whose period the
 * kernel chooses (-F of hardware events), and of clocks that leave out a mode, as they count in all
 * modes.
 *
 * Only for perf's rings: the in-kernel sampler counts its ticks itself (sampler/tick_account.h).
 */
#ifndef ASSAY_CAPTURE_DUE_TICKS_H
#define ASSAY_CAPTURE_DUE_TICKS_H

#include "capture/event_plan.h"
#include "model/model.h"

struct due_ticks {		/* initialize with zeros */
	/* by descriptor: count when the period was last changed */
	VEC(uint64_t) counts;
	/* by event: number of whole periods until then, and the ring's losses so far */
	uint64_t due[SAMPLED_EVENTS_MAX], lost[SAMPLED_EVENTS_MAX];
	uint64_t period[SAMPLED_EVENTS_MAX];	/* in force */
	uint32_t change_count;
};

/* The descriptors of one CPU, as in struct source. */
struct due_events {
	const struct event_plan *plan;
	const int *fds;
	size_t fd_count;
	const struct ticks *ticks;	/* by event: samples that arrived */
	uint32_t cpu;
	/* number of threads that may have had events of their own; 0: the events watch the CPU */
	uint64_t threads;
};

void due_ticks_fini(struct due_ticks *due);

/*
 * Adds the whole periods since the last call. Must be called before the period of any event is
 * changed, and when sampling has ended. Returns 0 or -ENOMEM.
 */
int due_ticks_settle(struct due_ticks *due, const struct due_events *events);

/*
 * Stores the outcomes as rows of model->ticks. Returns the number of missing ticks of clocks that
 * are a loss: those of a CPU whose idle time does not explain them, because some virtual CPUs take
 * no samples while they are idle. Call this after due_ticks_settle(), when all samples were read.
 */
uint64_t due_ticks_store(const struct due_ticks *due, const struct due_events *events,
			 struct model *model);

#endif
