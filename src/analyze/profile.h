/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - the samples of a recording, summed up
 *
 * One pass over the column blocks turns samples into hits. Samples with equal (thread, function,
 * event, context, late, end of the stack) become one row with a count and a weight. Every report is
 * a query over hits and the model, and no report reads the recording again. Addresses, CPUs and
 * time slices are distinguished only if --by asks for them. Memory is proportional to the number of
 * distinct hits, not of samples. A hit has no stack. Reports that draw call trees request
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
	uint32_t image;		/* image of the sampled address */
	uint32_t function;	/* 0: unresolved */
	uint32_t location;	/* only if split by address, else 0 */
	uint64_t samples;
	uint64_t weight;	/* ns for a time event, else number of events */
	double squares;		/* see count.h */
	uint8_t event;
	uint8_t context;	/* enum context */
	/*
	 * landed more than profile.late_threshold_ns after its tick, in kernel code that may have
	 * had interrupts off
	 */
	bool late;
	uint8_t end;		/* end of the stack: enum stack_end */
	uint16_t cpu;		/* only if split by CPU, else 0 */
	uint32_t time_slice;	/* index of the slice; only if split by time, else 0 */
	uint32_t stack_class;	/* only with profile_options.stack_classes, else 0 */
};

/* Samples of the ledger's clock (profile.clock_event) on one CPU. */
struct cpu_total {
	uint64_t samples[CONTEXT_COUNT];	/* without the profiler's own */
	uint64_t weight[CONTEXT_COUNT];
	/* of the process that the fact "self_tgid" names */
	uint64_t self_samples[CONTEXT_COUNT], self_weight[CONTEXT_COUNT];
};

struct profile {
	const struct model *model;		/* borrowed */
	VEC(struct hit) hits;
	VEC(struct cpu_total) cpus;		/* by CPU number */
	struct stack_counts stacks;		/* only if split by stack */
	uint64_t total_samples[256];		/* by event: samples that passed the filter */
	uint64_t total_weight[256];
	uint64_t filtered_out;			/* samples that did not pass the filter */
	uint64_t tick_samples, late_samples;	/* with known lateness; those that are late */
	int64_t late_threshold_ns;
	uint64_t first_ns, last_ns;		/* of the samples that passed the filter */
	uint64_t start_ns;			/* start of time_slice 0 */
	uint64_t slice_ns;			/* 0: not split by time */
	uint32_t clock_event;			/* first CPU-wide timer, or PROFILE_EVENT_NONE */
	const struct code_blocks *blocks;	/* borrowed; NULL: not requested (blocks.h) */
	bool filtered;				/* a filter was used */
	bool inlined;				/* inlined functions count as functions */
};

struct profile_options {
	const struct filter *filter;		/* NULL: everything */
	bool by_address, by_cpu;
	bool by_stack;
	/*
	 * name functions by their innermost inlined function, and include all inlined functions in
	 * stacks
	 */
	bool inlined;
	uint64_t slice_ns;			/* 0: do not split by time */
	/*
	 * by stack id: splits hits by a class that the caller gives to their stacks; borrowed;
	 * NULL: do not split
	 */
	const uint32_t *stack_classes;
};

/*
 * A sample is late if it is later than the fact "late_threshold_ns" or, without that fact, later
 * than 99 % of the first samples in user mode. Code with interrupts off cannot have delayed samples
 * in user mode, so their lateness is that of the timer itself.
 *
 * Returns 0, -ENOMEM, or the error of recording_each_block(). Call profile_fini() in all cases.
 */
int profile_read(struct recording *recording, struct model *model,
		 const struct profile_options *options, struct profile *ret_profile,
		 struct err *err);
void profile_fini(struct profile *profile);

/* Returns the event that a report shows by default: the first one that has samples, else 0. */
uint8_t profile_first_event(const struct profile *profile);

#endif
