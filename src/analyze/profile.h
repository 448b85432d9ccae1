/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - the samples of a recording, summed up
 *
 * One pass over the file turns samples into hits. Samples with equal (thread, function, event,
 * context, late, end of the stack) become one hit with a count and a weight. Every report is
 * computed from the hits and the model, and no report reads the recording again. Samples that
 * differ only in address, CPU or time slice become different hits only if --by asks for these.
 * Memory is proportional to the number of distinct hits, not of samples. A hit has no stack.
 * Reports that draw call trees request stack_counts, which are filled in the same pass.
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
	uint32_t location;	/* 0 unless hits are split by address */
	uint64_t samples;
	/* in ns for an event that measures time, otherwise a number of events */
	uint64_t weight;
	double squares;		/* see count.h */
	uint8_t event;
	uint8_t context;	/* enum context */
	/*
	 * the sample was taken more than profile.late_threshold_ns after its tick, in kernel code
	 * that may have run with interrupts off
	 */
	bool late;
	uint8_t end;		/* end of the stack: enum stack_end */
	uint16_t cpu;		/* 0 unless hits are split by CPU */
	uint32_t time_slice;	/* index of the time slice; 0 unless hits are split by time */
	uint32_t stack_class;	/* 0 unless profile_options.stack_classes is set */
};

/* Samples of the ledger's clock (account.h; profile.clock_event) on one CPU. */
struct cpu_total {
	/* without the samples of the profiler's own process */
	uint64_t samples[CONTEXT_COUNT];
	uint64_t weight[CONTEXT_COUNT];
	/* samples of the profiler's process, whose tgid is the fact "self_tgid" of the recording */
	uint64_t self_samples[CONTEXT_COUNT], self_weight[CONTEXT_COUNT];
};

struct profile {
	const struct model *model;		/* borrowed */
	VEC(struct hit) hits;
	VEC(struct cpu_total) cpus;		/* by CPU number */
	struct stack_counts stacks;		/* set only if split by stack */
	/* number of samples that passed the filter, by event */
	uint64_t total_samples[256];
	uint64_t total_weight[256];
	uint64_t filtered_out;			/* samples that did not pass the filter */
	/* number of samples with known lateness, and number of late samples */
	uint64_t tick_samples, late_samples;
	int64_t late_threshold_ns;
	/* timestamps of the first and last sample that passed the filter */
	uint64_t first_ns, last_ns;
	uint64_t start_ns;			/* start of time_slice 0 */
	uint64_t slice_ns;			/* 0: not split by time */
	/* the first event that is a timer on whole CPUs, or PROFILE_EVENT_NONE */
	uint32_t clock_event;
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
	 * by stack id: a class that the caller assigned to the stack. Samples of different classes
	 * become different hits. Borrowed; NULL: do not split by class.
	 */
	const uint32_t *stack_classes;
};

/*
 * A sample's lateness is the duration from the timer tick to the sample. A sample is late if its
 * lateness exceeds the fact "late_threshold_ns" of the recording. Without that fact, the limit is a
 * lateness that 99 % of the first samples in user mode do not exceed. Code with interrupts off
 * cannot have delayed samples in user mode, so their lateness is that of the timer itself.
 *
 * Returns 0, -ENOMEM, or the error of recording_each_block(). Call profile_fini() in all cases.
 */
int profile_read(struct recording *recording, struct model *model,
		 const struct profile_options *options, struct profile *ret_profile,
		 struct err *err);
void profile_fini(struct profile *profile);

/* Returns the event that a report shows by default: the first event with samples, else 0. */
uint8_t profile_first_event(const struct profile *profile);

#endif
