/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.h - events, samples, and the counter values read with samples */
#ifndef ASSAY_MODEL_SAMPLE_H
#define ASSAY_MODEL_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/context.h"

#define LATE_UNKNOWN INT32_MIN
#define EVENT_TYPE_COUNTED (UINT32_C(1) << 31)	/* no type of perf_event_attr */

/* An event that is sampled, or a counter that is read along with each sample. */
struct event {
	uint32_t name;		/* string: name that the user gave, such as "cpu-clock:u" */
	/* perf_event_attr.type and .config; EVENT_TYPE_COUNTED: see event_is_counted() */
	uint32_t type;
	uint64_t config;
	/*
	 * number of events or ns that each sample represents; 0 if frequency_hz determines it or if
	 * the samples have different weights
	 */
	uint64_t period;
	/*
	 * Requested frequency; 0 if the period is fixed. A clock can have both period and
	 * frequency_hz. The period is then only the initial one and may be changed during the
	 * recording.
	 */
	uint64_t frequency_hz;
	bool is_time;		/* weights are nanoseconds of CPU time */
	bool has_ticks;		/* CPU-wide timer clock; the lateness of samples is measured */
	/* not sampled, but a counter; its values are a column of struct sample_batch.counters */
	bool is_counter;
};

/*
 * Returns true if the weights of the event are times that were measured, as those of waits
 * (model/wait.h). No clock samples every nanosecond.
 */
static inline bool event_is_measured(const struct event *event)
{
	return event->is_time && event->period == 1 && !event->frequency_hz;
}

/*
 * Returns true if the event comes from a file that says how often each stack was seen, such as
 * folded stacks. One struct sample of such an event stands for all samples of a stack: its weight
 * is their number times the period.
 */
static inline bool event_is_counted(const struct event *event)
{
	return event->type == EVENT_TYPE_COUNTED && event->period;
}

/* Returns how many samples one struct sample of the event with this weight stands for. */
static inline uint64_t event_samples(const struct event *event, uint64_t weight)
{
	return event_is_counted(event) && weight > event->period ? weight / event->period : 1;
}

struct sample {
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	uint64_t weight;	/* ns if event.is_time, otherwise events */
	uint32_t thread;
	uint32_t stack;		/* id of a stack whose leaf is the sampled address */
	/*
	 * delay of the sample after its tick (tick.h), >= 0; LATE_UNKNOWN if the event has no
	 * ticks; something else for spans (span.h)
	 */
	int32_t late_ns;
	uint16_t cpu;
	uint8_t event;
	uint8_t context;	/* enum context */
};

/*
 * The samples between two flushes, in time order. The collector clears the batch after each flush.
 */
struct sample_batch {
	VEC(struct sample) samples;
	VEC(uint64_t) counters;	/* counter_count values for each sample, in the order of samples */
	uint32_t counter_count;
};

void sample_batch_clear(struct sample_batch *batch);
void sample_batch_fini(struct sample_batch *batch);

#endif
