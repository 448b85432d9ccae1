/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - the samples of a recording, totalled
 *
 * One pass over the column blocks turns samples into hits: equal (thread, function, event,
 * context, late, end of the stack) are one row with a count and a weight.  Every report is a
 * query over hits and the model; none of them reads the recording again.  --by address, cpu and
 * time keep those apart as well, and only then.  Memory is proportional to the number of
 * distinct hits, not of samples.  Stacks are no part of a hit: who draws call trees asks for
 * stack_counts, which the same pass fills.
 */
#ifndef ASSAY_ANALYZE_PROFILE_H
#define ASSAY_ANALYZE_PROFILE_H

#include "analyze/count.h"
#include "analyze/filter.h"
#include "analyze/stack_counts.h"
#include "base/vec.h"
#include "model/model.h"
#include "store/recording.h"

#define PROFILE_EVENT_NONE UINT32_MAX

struct code_blocks;

struct hit {
	uint32_t thread;
	uint32_t image;		/* of the sampled address */
	uint32_t function;	/* 0: not resolved */
	uint32_t location;	/* only when split by address, else 0 */
	uint64_t samples;
	uint64_t weight;	/* ns for a timed event, else events */
	double squares;		/* see count.h */
	uint8_t event;
	uint8_t context;	/* enum context */
	bool late;		/* landed later behind its tick than profile.late_threshold_ns,
				   in kernel code that may have had interrupts off */
	uint8_t end;		/* of the stack: enum stack_end */
	uint16_t cpu;		/* only when split by cpu, else 0 */
	uint32_t time_slice;	/* only when split by time: index of the slice */
	uint32_t stack_class;	/* only with profile_options.stack_classes, else 0 */
};

/* What the clock of the ledger (profile.clock_event) counted on one CPU. */
struct cpu_total {
	uint64_t samples[CONTEXT_COUNT];	/* but for the profiler's own */
	uint64_t weight[CONTEXT_COUNT];
	/* of the process that fact "self_tgid" names */
	uint64_t self_samples[CONTEXT_COUNT], self_weight[CONTEXT_COUNT];
};

struct profile {
	const struct model *model;		/* not owned */
	VEC(struct hit) hits;
	VEC(struct cpu_total) cpus;		/* index: the cpu's number */
	struct stack_counts stacks;		/* only when split by stack */
	uint64_t total_samples[256];		/* by event: passed the filter */
	uint64_t total_weight[256];
	uint64_t filtered_out;			/* samples that did not */
	uint64_t tick_samples, late_samples;	/* with known lateness */
	int64_t late_threshold_ns;
	uint64_t first_ns, last_ns;		/* of the samples that passed */
	uint64_t start_ns;			/* time_slice 0 begins here */
	uint64_t slice_ns;			/* 0: not split by time */
	uint32_t clock_event;			/* first CPU-wide timer, or ..._EVENT_NONE */
	const struct code_blocks *blocks;	/* not owned; NULL: not asked for (blocks.h) */
	bool filtered;				/* a filter was in force */
	bool inlined;				/* functions that were inlined count, too */
};

struct profile_options {
	const struct filter *filter;		/* NULL: everything */
	bool by_address, by_cpu;
	bool by_stack;
	bool inlined;				/* functions by their innermost inlined name, and
						   stacks with all of them */
	uint64_t slice_ns;			/* 0: not by time */
	const uint32_t *stack_classes;		/* by stack id: splits hits by what the caller says
						   of their stacks. Not owned; NULL: by nothing */
};

/*
 * Late means later than the fact "late_threshold_ns" or, without it, than what 99 % of the
 * first samples in user mode were: those cannot have been held up by code that runs with
 * interrupts off, so their lateness is that of the timer itself.
 *
 * 0, -ENOMEM, or what recording_each_block() returned; profile_fini() after any of them.
 */
int profile_read(struct recording *recording, struct model *model,
		 const struct profile_options *options, struct profile *ret_profile,
		 struct err *err);
void profile_fini(struct profile *profile);

/* The event that a report shows unless told otherwise: the first that has samples, else 0. */
uint8_t profile_first_event(const struct profile *profile);

#endif
