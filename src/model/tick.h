/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick.h - the outcomes of the ticks of each sampled event on each CPU
 *
 * A tick is a moment at which an event is due for a sample. The in-kernel sampler counts the
 * outcomes of ticks ("sent", "idle", "skipped", ...). docs/schema.md explains the names. The counts
 * are stored for people who query the recording. assay itself never reads them back, so
 * recording_load() does not load them.
 */
#ifndef ASSAY_MODEL_TICK_H
#define ASSAY_MODEL_TICK_H

#include <stdint.h>

#include "base/u64map.h"
#include "base/vec.h"

struct tick_count {
	uint32_t event, cpu;
	uint32_t outcome;	/* string id of the outcome */
	uint64_t count;
};

struct tick_counts {
	VEC(struct tick_count) rows;
	struct u64map index;	/* hash of event, cpu and outcome -> index in the array of rows */
};

struct model;

/*
 * Sets the count of one outcome, replacing an earlier value. A count of 0 adds no row. When out of
 * memory, counts LOSS_MEMORY.
 */
void model_tick_set(struct model *model, uint32_t event, uint32_t cpu, const char *outcome,
		    uint64_t count);

void tick_counts_fini(struct tick_counts *counts);

#endif
