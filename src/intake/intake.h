/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.h - applies the records of perf and of the in-kernel sampler to the model
 *
 * Records are passed one by one in time order. Intake passes process events to the tracker and
 * kernel symbols to the kernel's images. It adds losses to their counters, and appends each sample
 * to a batch.
 *
 * Intake does not depend on collectors or perf events, so it can be used for an imported file as
 * well as for the live kernel. Its caller describes the sampled events (struct intake_event) and
 * passes the origin of each record along with the record (struct intake_source). The caller may
 * also set functions that intake calls for certain records, to inform a collector (struct
 * intake_listener).
 */
#ifndef ASSAY_INTAKE_INTAKE_H
#define ASSAY_INTAKE_INTAKE_H

#include "base/u64map.h"
#include "intake/chain.h"
#include "intake/copied_stacks.h"
#include "intake/last_counters.h"
#include "intake/ticks.h"
#include "process/tracker.h"

/* A sampled event. Indexed like the events of the model. */
struct intake_event {
	uint64_t period;	/* weight of a sample if its record has no period */
	/* true: a clock with a fixed period; the weight of a sample is the current period */
	bool is_clock;
	/* true: a CPU-wide clock; it can be computed how late its samples are */
	bool has_ticks;
};

/* The origin of records: one CPU of a capture, or an imported file. */
struct intake_source {
	uint32_t cpu;
	struct ticks *ticks;	/* one for each sampled event; NULL: no event is a clock */
};

/*
 * Functions that intake calls while it handles a record. The data behind @sample, @stack and @owner
 * is valid only until the function returns. The functions must not call intake.
 */
struct intake_listener {
	/*
	 * Called for each stack record, and for each sample with a copied stack, before the record
	 * is handled. @tgid and @owner identify the process of the record.
	 */
	void (*heard)(void *context, uint32_t tgid, const struct record_owner *owner);
	/* Called after a sample of @process was handled. */
	void (*saw)(void *context, struct live_process *process, const struct perf_record *sample);
	/*
	 * Called for each stack of a wait: the stack of the waiting task and the stack of its
	 * waker. The memory of these stacks is never copied. If the in-kernel walk ended early, the
	 * collector can therefore not complete the walk.
	 */
	void (*missed)(void *context, struct live_process *process,
		       const struct record_stack *stack, uint64_t time_ns);
	/* Called when the process exits or begins to run another program. */
	void (*left)(void *context, uint32_t tgid);
	void *context;
};

struct intake {
	/* borrowed, like all other pointers in this struct */
	struct model *model;
	struct tracker *tracker;
	struct chains *chains;
	struct kernel_images *kernel_images;
	const struct kernel_text *kernel_text;
	const struct u64map *ids;		/* perf's event id -> index of the sampled event */
	VEC(struct intake_event) events;	/* owned */
	/* number of counters whose values are in each sample */
	size_t counter_count;
	bool counters_per_thread;		/* false: the counters count for a whole CPU */
	/* fields of samples that are counters of the model, after the others, in this order */
	uint8_t fields[FIELD_COUNT];		/* enum sample_field */
	size_t field_count;
	bool counts_ticks;			/* count samples of event 0 in the ledger */
	struct intake_listener listener;	/* all functions may be NULL */
	/* the sampler sends samples of requested processes only */
	bool sampler_filters;
	/* tgid of a process that is not recorded; 0: none */
	uint32_t self_tgid;
	/* index of the model's first event for waits; valid if waits are recorded */
	uint32_t first_wait_event;
	/* returns the model's event for a span, or SPAN_NO_EVENT; NULL: there are no spans */
	uint32_t (*span_event)(void *context, uint32_t span);
	void *span_context;
	/*
	 * Which amounts of spans are counters of the model (model/span.h), in the order of these.
	 * Then counter_count and field_count are 0.
	 */
	const uint8_t *span_amounts;
	size_t span_amount_count;
	bool want_user_stack;
	/* tids to record, sorted; NULL: all threads of targets */
	const uint32_t *only_tids;
	size_t only_tid_count;

	/* number of samples of 32-bit programs with a user stack, and of FORK records */
	uint64_t count_32bit, fork_count;
	/* key: hash of (perf event id, thread); thread is 0 for CPU-wide events */
	struct last_counters last_counters;
	struct copied_stacks copied_stacks;	/* of waits whose records have not come yet */
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

/*
 * Makes the model forget its stacks (model_forget_stacks()), and with it everybody who remembers
 * any. Call model_health_settle() before.
 */
void intake_forget_stacks(struct intake *intake);

/* Writes the counts gathered so far to the model, as facts. */
void intake_account(const struct intake *intake);

void intake_fini(struct intake *intake);

#endif
