/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timed.h - measured time of interrupts (model/interrupt.h), compared with sampled time
 *
 * The time of interrupts is both measured and sampled. The two results can differ for two reasons:
 *
 * - A sampling clock cannot sample its own interrupt.
 * - While a handler runs that cannot be interrupted, no sample can be taken. The sample is taken
 *   only after the handler, whereas the measured time ends with the handler.
 *
 * So the report shows both results, and marks the CPUs on which the measured time is outside the 95
 * % interval of the samples.
 *
 * The measured time is always that of the whole recording, because filters select only samples. A
 * victim is a process that was current while an interrupt was handled. The time of all processes
 * that the user did not want to record is added up in one row, INTERRUPT_OTHERS.
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
	/* 95 % interval of the share of the CPU's wall time, estimated from the samples */
	struct interval sampled;
	bool differs;			/* the measured share is outside the interval `sampled` */
};

struct timed_victim {
	uint32_t tgid;
	/*
	 * string id of the application's name, or of the process's comm if the application is
	 * unknown
	 */
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
	bool differs;		/* true if `differs` of any CPU is true */
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
	/*
	 * samples and measurements cover the same time and the same processes, so they are compared
	 */
	bool is_compared;
};

/*
 * @event is the event whose samples give timed_victim.own_ns. If its weights are not times, own_ns
 * is unknown for all processes except the idle task. Returns 0 or -ENOMEM. Call timed_fini() in
 * both cases.
 */
int timed_make(const struct profile *profile, const struct account *account, uint8_t event,
	       struct timed *ret_timed);
void timed_fini(struct timed *timed);

#endif
