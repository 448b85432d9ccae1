/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick.h - what became of the ticks of each sampled event on each CPU
 *
 * A tick is one moment at which an event asked for a sample. The in-kernel sampler counts how each
 * tick ended ("sent", "idle", "skipped", ...); docs/schema.md explains the names. The counts are
 * written for readers of the recording. Nothing in assay reads them back, so recording_load() does
 * not load them.
 */
#ifndef ASSAY_MODEL_TICK_H
#define ASSAY_MODEL_TICK_H

#include <stdint.h>

#include "base/u64map.h"
#include "base/vec.h"

struct tick_count {
	uint32_t event, cpu;
	uint32_t outcome;	/* string id: how the ticks ended */
	uint64_t count;
};

struct tick_counts {
	VEC(struct tick_count) rows;
	struct u64map index;	/* hash of event, cpu and outcome -> index of the row */
};

struct model;

/*
 * Sets one count and replaces the earlier one. A count of 0 adds no row. When out of memory, counts
 * LOSS_MEMORY.
 */
void model_tick_set(struct model *model, uint32_t event, uint32_t cpu, const char *outcome,
		    uint64_t count);

void tick_counts_fini(struct tick_counts *counts);

#endif
