/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - one observation, and what was counted
 */
#ifndef ASSAY_MODEL_SAMPLE_H
#define ASSAY_MODEL_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/context.h"

#define LATE_UNKNOWN INT32_MIN

/* An event that is sampled, or (counter) read along with each sample. */
struct event {
	uint32_t name;		/* string, as the user gave it: "cpu-clock:u" */
	uint32_t type;		/* perf_event_attr.type and .config */
	uint64_t config;
	uint64_t period;	/* units per sample; 0 when frequency_hz drives the kernel, or
				   where each sample has another weight */
	uint64_t frequency_hz;	/* asked for; 0 with a fixed period. A clock has both where its
				   period is that of the beginning and may be changed */
	bool is_time;		/* weights are nanoseconds of CPU time */
	bool has_ticks;		/* a CPU-wide timer clock: lateness is measured */
	bool is_counter;	/* not sampled, a column of struct sample_batch.counters */
};

struct sample {
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	uint64_t weight;	/* ns where event.is_time, else events */
	uint32_t thread;
	uint32_t stack;		/* its leaf is the sampled address */
	int32_t late_ns;	/* behind the tick, >= 0; LATE_UNKNOWN without ticks */
	uint16_t cpu;
	uint8_t event;
	uint8_t context;	/* enum context */
};

/* Samples in time order; cleared by the collector after each flush. */
struct sample_batch {
	VEC(struct sample) samples;
	VEC(uint64_t) counters;	/* counter_count values for each sample, in step with it */
	uint32_t counter_count;
};

void sample_batch_clear(struct sample_batch *batch);
void sample_batch_fini(struct sample_batch *batch);

#endif
