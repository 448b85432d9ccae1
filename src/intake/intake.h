/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.h - applies the records of perf and of the in-kernel sampler to the model
 *
 * Records are passed one by one in time order. Process events are passed on to the tracker, kernel
 * symbols to the kernel's images, and losses are added to their counters. Each sample is appended
 * to a batch.
 *
 * Intake does not depend on collectors or perf events, so it can be used for an imported file as
 * well as for the live kernel. Its caller describes the sampled events (struct intake_event),
 * passes with each record where the record comes from (struct intake_source), and may set functions
 * that are called when a collector needs to know about a record (struct intake_listener).
 */
#ifndef ASSAY_INTAKE_INTAKE_H
#define ASSAY_INTAKE_INTAKE_H

#include "base/u64map.h"
#include "intake/chain.h"
#include "intake/ticks.h"
#include "process/tracker.h"

/* A sampled event. Indexed like the events of the model. */
struct intake_event {
	uint64_t period;	/* weight of a sample if its record has no period */
	/* clock with a fixed period: the current period is the weight of a sample */
	bool is_clock;
	bool has_ticks;		/* a CPU-wide clock: samples can be late for their tick */
};

/* Where records come from: one CPU of a capture, or an imported file. */
struct intake_source {
	uint32_t cpu;
	struct ticks *ticks;	/* one for each sampled event; NULL: no event is a clock */
};

/*
 * Functions that are called while a record is handled. @sample, @stack and @owner are valid only
 * until the function returns. The functions must not call intake.
 */
struct intake_listener {
	/*
	 * Called before a stack, or a sample with a copied stack, is handled. @tgid and @owner
	 * identify the process of that stack or sample.
	 */
	void (*heard)(void *context, uint32_t tgid, const struct record_owner *owner);
	/* Called after a sample of @process was handled. */
	void (*saw)(void *context, struct live_process *process, const struct perf_record *sample);
	/*
	 * Called for each stack of a wait: the task's and the waker's. No copy of the stack exists,
	 * so if the kernel's walk ended early, the collector cannot continue.
	 */
	void (*missed)(void *context, struct live_process *process,
		       const struct record_stack *stack, uint64_t time_ns);
	/* Called when the process exits or begins to run another program. */
	void (*left)(void *context, uint32_t tgid);
	void *context;
};

struct intake {
	struct model *model;			/* `model` and the next four are borrowed */
	struct tracker *tracker;
	struct chains *chains;
	struct kernel_images *kernel_images;
	const struct kernel_text *kernel_text;
	const struct u64map *ids;		/* perf's event id -> index of the sampled event */
	VEC(struct intake_event) events;	/* owned */
	/* number of counters whose values are in each sample */
	size_t counter_count;
	bool counters_per_thread;		/* false: the counters count for a whole CPU */
	bool counts_ticks;			/* count samples of event 0 in the ledger */
	struct intake_listener listener;	/* all functions may be NULL */
	/* the sampler sends samples of requested processes only */
	bool sampler_filters;
	uint32_t self_tgid;			/* process to leave out; 0: none */
	/* first of the events for waits in the model; used if waits are recorded */
	uint32_t first_wait_event;
	bool want_user_stack;
	/* tids to record, sorted; NULL: all threads of targets */
	const uint32_t *only_tids;
	size_t only_tid_count;

	uint64_t count_32bit;			/* samples of 32-bit programs that were unwound */
	/* (perf event id, thread) -> index of a row of last_counters */
	struct u64map last_index;
	VEC(uint64_t) last_counters;
};

/*
 * Applies one record to the model and appends its samples to *@batch. Records must be passed in
 * time order. Returns 0 or -ENOMEM.
 */
int intake_record(struct intake *intake, const struct intake_source *source,
		  const struct perf_record *record, struct sample_batch *batch);

/*
 * Returns the weight of a sample. For a clock with a fixed period, the weight is the current
 * period. For all other events it is the period in the record or, if the record has none, the
 * requested period.
 */
uint64_t intake_weight(const struct intake_event *event, struct ticks *ticks,
		       const struct perf_record *record);

/* Writes the counts gathered so far to the model, as facts. */
void intake_account(const struct intake *intake);

void intake_fini(struct intake *intake);

#endif
