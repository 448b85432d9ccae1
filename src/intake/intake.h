/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.h - what a record means for the model
 *
 * Takes records one by one in time order: process events go to the tracker, kernel symbols to
 * the kernel's images, losses to their counters, and a sample becomes a row of the batch.
 *
 * Intake knows neither collectors nor sources, so that an imported file can feed it as well as the
 * live kernel. The owner describes the sampled events (struct intake_event), says for each record
 * where it comes from (struct intake_source), and may listen for what a collector has to learn
 * from the records (struct intake_listener).
 */
#ifndef ASSAY_INTAKE_INTAKE_H
#define ASSAY_INTAKE_INTAKE_H

#include "base/u64map.h"
#include "intake/chain.h"
#include "intake/ticks.h"
#include "process/tracker.h"

/* A sampled event, by its index in the model. */
struct intake_event {
	uint64_t period;	/* the weight of a sample whose record does not say its period */
	bool is_clock;		/* of fixed period: the period in force is a sample's weight */
	bool has_ticks;		/* a CPU-wide clock: samples can be late for their tick */
};

/* Where records come from: one CPU of a capture, or an imported file. */
struct intake_source {
	uint32_t cpu;
	struct ticks *ticks;	/* one for each sampled event; NULL: no event is a clock */
};

/*
 * Called as the records pass. @sample and @stack are valid during the call only. The listener may
 * not call intake.
 */
struct intake_listener {
	/* Before a stack, or a sample with a copied stack, is taken in: which process it names. */
	void (*heard)(void *context, uint32_t tgid, const struct record_owner *owner);
	/* A sample of @process was taken in. */
	void (*saw)(void *context, struct live_process *process, const struct perf_record *sample);
	/* The stack of a wait ended early, and no copy of the stack came with it. */
	void (*missed)(void *context, struct live_process *process,
		       const struct record_stack *stack, uint64_t time_ns);
	/* The process exited, or runs another program from now on. */
	void (*left)(void *context, uint32_t tgid);
	void *context;
};

struct intake {
	struct model *model;			/* this and the next four are borrowed */
	struct tracker *tracker;
	struct chains *chains;
	struct kernel_images *kernel_images;
	const struct kernel_text *kernel_text;
	const struct u64map *ids;		/* perf's event id -> index of the sampled event */
	VEC(struct intake_event) events;	/* owned */
	size_t counter_count;			/* counters that each sample carries */
	bool counters_per_thread;		/* false: the counters count for the CPU */
	bool counts_ticks;			/* samples of event 0 go into the ledger */
	struct intake_listener listener;	/* all functions NULL: nobody listens */
	bool sampler_filters;			/* the sampler sends only requested processes */
	uint32_t self_tgid;			/* process to leave out; 0: none */
	uint32_t first_wait_event;		/* of the model, when waits are recorded */
	bool want_user_stack;
	const uint32_t *only_tids;		/* sorted; NULL: all threads of targets */
	size_t only_tid_count;

	uint64_t count_32bit;			/* samples of 32-bit programs that were unwound */
	struct u64map last_index;		/* (perf id, thread) -> row of last_counters */
	VEC(uint64_t) last_counters;
};

/*
 * Takes one record into the model and *batch.  Records must come in time order.  0 or -ENOMEM.
 */
int intake_record(struct intake *intake, const struct intake_source *source,
		  const struct perf_record *record, struct sample_batch *batch);

/*
 * The weight of a sample: the period in force for a clock of fixed period; otherwise the period
 * that the record says or, if it says none, the period that was asked for.
 */
uint64_t intake_weight(const struct intake_event *event, struct ticks *ticks,
		       const struct perf_record *record);

/* Writes the counts gathered so far into the model as facts. */
void intake_account(const struct intake *intake);

void intake_fini(struct intake *intake);

#endif
