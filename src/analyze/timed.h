/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timed.h - measured time of interrupts (model/interrupt.h), compared with sampled time
 *
 * The time of interrupts is both measured and sampled, and the two results can differ for two
 * reasons. A sampling clock cannot sample its own interrupt, and a sample of a handler that cannot
 * be interrupted is taken only after the handler. The measured time, on the other hand, ends with
 * the handlers. So the report shows both results, and marks where the measured time is outside the
 * 95 % interval of the samples.
 *
 * The measured time is always that of the whole recording, because filters only select samples. A
 * victim is a process in whose time an interrupt was handled. Time measured for processes that the
 * recording did not ask for is one row, INTERRUPT_OTHERS.
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
	uint32_t name;		/* string id */
	uint64_t count, ns;
	uint64_t skipped;	/* interrupts that the kernel counted but that were not timed */
};

struct timed_cpu {
	uint32_t cpu;
	uint64_t count, ns;
	/* sampled_ns, sampled and differs are set only if timed.is_compared */
	uint64_t sampled_ns;
	struct interval sampled;	/* sampled share of the CPU's wall time */
	bool differs;			/* the measured share is outside the sampled interval */
};

struct timed_victim {
	uint32_t tgid;
	/* string id of the process's application, or of its comm if never sampled */
	uint32_t name;
	uint64_t count, ns;
	/* all sampled time of the process; for the idle task, the idle time; 0: unknown */
	uint64_t own_ns;
};

/*
 * All lists are sorted by time, longest first, except the list of CPUs, which is sorted by number.
 */
struct timed_class {
	uint64_t count, ns;
	uint64_t skipped;
	VEC(struct timed_vector) vectors;
	VEC(struct timed_cpu) cpus;
	VEC(struct timed_victim) victims;
	bool differs;		/* true if the measured share differs on any CPU */
};

struct timed {
	/*
	 * reason why nothing was measured; "" if it was not requested; NULL if there is a
	 * measurement
	 */
	const char *missing;
	struct timed_class levels[TIMED_LEVELS];
	VEC(struct timed_vector) untimed;	/* hardirqs that were only counted; their ns is 0 */
	uint64_t wall_ns;	/* wall time of each CPU */
	uint64_t pair_ns;	/* cost of measuring one interrupt; 0: unknown */
	uint64_t cost_ns;	/* cost of all measurements, on all CPUs */
	/* samples and measurements cover the same time and processes: comparable */
	bool is_compared;
};

/*
 * @event is an event whose weights are times. Returns 0 or -ENOMEM. Call timed_fini() in both
 *	cases.
 */
int timed_make(const struct profile *profile, const struct account *account, uint8_t event,
	       struct timed *ret_timed);
void timed_fini(struct timed *timed);

#endif
