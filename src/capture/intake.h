/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.h - what a record means for the model
 *
 * Takes records one by one in time order: process events go to the tracker, kernel symbols to
 * the kernel's images, losses to their counters, and a sample becomes a row of the batch.
 */
#ifndef ASSAY_CAPTURE_INTAKE_H
#define ASSAY_CAPTURE_INTAKE_H

#include "capture/bpf_collector.h"
#include "capture/chain.h"
#include "capture/sources.h"
#include "capture/tracker.h"

struct intake {
	struct model *model;			/* none of these are owned */
	struct tracker *tracker;
	struct chains *chains;
	struct kernel_images *kernel_images;
	const struct kernel_text *kernel_text;
	const struct event_plan *plan;
	const struct u64map *ids;		/* perf id -> event */
	struct bpf_collector *collector;	/* NULL: samples come by perf's rings */
	bool sampler_filters;			/* the sampler sends only what was asked for */
	uint32_t self_tgid;			/* to be left out; 0: nobody */
	uint32_t first_wait_event;		/* of the model, with --off-cpu */
	bool want_user_stack;
	const uint32_t *only_tids;		/* sorted; NULL: all threads of targets */
	size_t only_tid_count;

	uint64_t count_32bit;			/* samples of 32-bit programs that were walked */
	struct u64map last_index;		/* (perf id, thread) -> row of last_counters */
	VEC(uint64_t) last_counters;
};

/* The front record of a stream of the source into the model and *batch. 0 or -ENOMEM. */
int intake_record(struct intake *intake, struct source *source, struct stream *stream,
		  struct sample_batch *batch);

/* What it has counted so far becomes facts. */
void intake_account(const struct intake *intake);

void intake_fini(struct intake *intake);

#endif
