/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - the samples of a recording, summed up
 *
 * One pass over the file turns samples into hits. A hit is a set of samples that have the same
 * thread, image, function, event, context, state, lateness (late or not) and end of the stack. It
 * has the number and the total weight of its samples. Samples that differ only in address, CPU,
 * time slice or stack class are different hits only if the caller asks for this (profile_options).
 * Hits do not contain stacks. Reports that draw call trees ask for stack_counts, which are filled
 * in the same pass.
 *
 * Reports that need only hits and the model do not read the recording again. The memory of a
 * profile is proportional to the number of distinct hits, and not to the number of samples.
 */
#ifndef ASSAY_ANALYZE_PROFILE_H
#define ASSAY_ANALYZE_PROFILE_H

#include "analyze/count.h"
#include "analyze/filter.h"
#include "analyze/stack_counts.h"
#include "base/vec.h"
#include "model/model.h"
#include "model/sample_field.h"
#include "store/recording.h"

#define PROFILE_EVENT_NONE UINT32_MAX

struct code_blocks;
struct metric;

struct hit {
	uint32_t thread;
	uint32_t image;		/* image of the sampled address */
	uint32_t function;	/* 0: unresolved */
	uint32_t location;	/* 0 unless hits are split by address */
	/* weights are in ns for an event that measures time, otherwise numbers of events */
	struct count count;
	uint8_t event;
	uint8_t context;	/* enum context */
	uint8_t state;		/* enum thread_state (model/wait.h) */
	/*
	 * the sample was taken more than profile.late_threshold_ns after its tick, in kernel code
	 * that may have run with interrupts off
	 */
	bool late;
	uint8_t end;		/* end of the stack: enum stack_end */
	uint16_t cpu;		/* 0 unless hits are split by CPU */
	uint32_t time_slice;	/* index of the time slice; 0 unless hits are split by time */
	/*
	 * id of the stack if profile_options.stacks_apart is set, its class if .stack_classes is
	 * set, otherwise 0
	 */
	uint32_t stack_class;
	/* by enum sample_field; 0 unless hits are split by the field */
	uint64_t fields[FIELD_COUNT];
};

/*
 * Samples of one CPU. Only the event profile.clock_event is counted, which is the clock of the
 * ledger (account.h).
 */
struct cpu_total {
	/* without the samples of the profiler's own process */
	uint64_t samples[CONTEXT_COUNT];
	uint64_t weight[CONTEXT_COUNT];
	/*
	 * samples of the profiler's own process; the fact "self_tgid" of the recording is its tgid
	 */
	uint64_t self_samples[CONTEXT_COUNT], self_weight[CONTEXT_COUNT];
};

struct profile {
	const struct model *model;		/* borrowed */
	VEC(struct hit) hits;
	VEC(struct cpu_total) cpus;		/* by CPU number */
	struct stack_counts stacks;		/* filled only if profile_options.by_stack is set */
	/* number of samples that passed the filter, by event */
	uint64_t total_samples[256];
	uint64_t total_weight[256];
	uint64_t filtered_out;			/* samples that did not pass the filter */
	/* number of samples with known lateness, and number of late samples */
	uint64_t tick_samples, late_samples;
	int64_t late_threshold_ns;
	/* timestamps of the first and last sample that passed the filter */
	uint64_t first_ns, last_ns;
	uint64_t start_ns;			/* start of the recording */
	uint64_t slice_from_ns;			/* start of time_slice 0, since start_ns */
	uint64_t slice_ns;			/* 0: not split by time */
	/* id of the first sampled event that is a CPU-wide timer clock, or PROFILE_EVENT_NONE */
	uint32_t clock_event;
	const struct code_blocks *blocks;	/* borrowed; NULL: not requested (blocks.h) */
	bool filtered;				/* a filter was used */
	bool inlined;				/* inlined functions are treated as functions */
	/*
	 * a function of generated code that was compiled several times is a function of its own at
	 * each of its addresses
	 */
	bool ranges_apart;
};

struct profile_options {
	const struct filter *filter;		/* NULL: everything */
	/*
	 * what samples count as (metric.h); NULL: each event by itself. A metric also decides which
	 * events are part of the profile, instead of the filter.
	 */
	struct metric *metric;
	bool by_address, by_cpu;
	/* by enum sample_field: the bits by which hits are split */
	uint64_t field_masks[FIELD_COUNT];
	bool by_stack;
	/*
	 * the function of a hit is the innermost function inlined at its address, and stacks
	 * include all inlined functions
	 */
	bool inlined;
	/*
	 * treat measured weights as samples, too. Set this to compare two runs: each run measures
	 * other amounts by chance.
	 */
	bool by_chance;
	uint64_t slice_ns;			/* 0: do not split by time */
	/* the first slice begins this long after the start; there are no earlier samples */
	uint64_t slice_from_ns;
	/*
	 * by stack id: a class that the caller assigned to the stack. Samples of different classes
	 * become different hits. Borrowed; NULL: do not split by class.
	 */
	const uint32_t *stack_classes;
	/* each stack is a class of its own; stack_classes is not used */
	bool stacks_apart;
};

/*
 * A sample's lateness is the duration from the timer tick to the sample. A sample is late if its
 * lateness exceeds the fact "late_threshold_ns" of the recording. If the recording does not have
 * this fact, the threshold is a value that the lateness of 99 % of the first user-mode samples does
 * not exceed. User-mode code always runs with interrupts on and so cannot delay its own samples.
 * The lateness of these samples is therefore that of the timer itself.
 *
 * Returns 0, -ENOMEM, or the error of recording_each_block(). Call profile_fini() in all cases.
 */
int profile_read(struct recording *recording, struct model *model,
		 const struct profile_options *options, struct profile *ret_profile,
		 struct err *err);
void profile_fini(struct profile *profile);

/*
 * Adds the samples of @batch to model->kept_samples. Whoever has passed all samples of a recording
 * sets model->kept_known. profile_read() does this if samples were lost, unless its filter selects
 * a range of time.
 */
void profile_count_kept(struct model *model, const struct sample_batch *batch);

/* Returns the event that a report shows by default: the first event with samples, else 0. */
uint8_t profile_first_event(const struct profile *profile);

/* Returns the duration of the run, or of its samples if the recording was never finished. */
uint64_t profile_duration_ns(const struct profile *profile);

#endif
