/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timed.h - the measured time of interrupts (model/interrupt.h), beside the sampled
 *
 * Measured and sampled are two opinions on the same time, and they may well differ: a sampling
 * clock cannot sample its own interrupt, and samples of an interrupt that nothing else can
 * interrupt land behind it; the measured time, on the other hand, ends with the handlers.  So
 * both are shown, and where the measured time lies outside of what the samples allow with 95 %
 * confidence, that is said.
 *
 * Measured is always the whole recording: filters choose samples only.  What was measured of
 * processes that nobody asked for is one row, INTERRUPT_OTHERS.
 */
#ifndef ASSAY_ANALYZE_TIMED_H
#define ASSAY_ANALYZE_TIMED_H

#include "analyze/account.h"
#include "analyze/interval.h"
#include "analyze/profile.h"

enum timed_level { TIMED_HARD, TIMED_SOFT, TIMED_LEVELS };

struct timed_vector {
	enum interrupt_kind kind;
	uint32_t vector;
	uint32_t name;		/* string of the model */
	uint64_t count, ns;
	uint64_t skipped;	/* that the kernel counted besides, but that were not timed */
};

struct timed_cpu {
	uint32_t cpu;
	uint64_t count, ns;
	uint64_t sampled_ns;		/* these three only where timed.is_compared */
	struct interval sampled;	/* share of the CPU's wall time */
	bool differs;			/* the measured share is outside of it */
};

struct timed_victim {
	uint32_t tgid;
	uint32_t name;		/* string: its application, or comm where it was never sampled */
	uint64_t count, ns;
	uint64_t own_ns;	/* all its sampled time; of the idle task: idle; 0: not known */
};

/* Each list longest time first, but CPUs by number. */
struct timed_class {
	uint64_t count, ns;
	uint64_t skipped;
	VEC(struct timed_vector) vectors;
	VEC(struct timed_cpu) cpus;
	VEC(struct timed_victim) victims;
	bool differs;		/* any CPU does */
};

struct timed {
	const char *missing;	/* why nothing was measured; "": nobody tried; NULL: it was */
	struct timed_class levels[TIMED_LEVELS];
	VEC(struct timed_vector) untimed;	/* hardirqs that were only counted; ns 0 */
	uint64_t wall_ns;	/* of each CPU */
	uint64_t pair_ns;	/* what measuring one took; 0: not known */
	uint64_t cost_ns;	/* all of them, on all CPUs */
	bool is_compared;	/* the samples are of the same time and the same processes */
};

/* @event: whose weights are time. 0 or -ENOMEM; timed_fini() after either. */
int timed_make(const struct profile *profile, const struct account *account, uint8_t event,
	       struct timed *ret_timed);
void timed_fini(struct timed *timed);

#endif
