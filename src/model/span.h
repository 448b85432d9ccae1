/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.h - spans that the stopwatch measured while samples were taken
 *
 * A span is the time between two points, such as a call of a function. Each kind of span, such as
 * the calls of malloc(), is an event of the recording, with a name that begins with "span:". What
 * is known of all its spans is in struct span_total. Some single spans are samples of this event:
 * those that are slow, and calls in which the task was sampled or waited. The time of such a sample
 * is the end of the span, its weight is the time from its start in ns, and it has no stack. late_ns
 * is the part of this time that is not the span's own: what probes of calls inside it, and the
 * sampler, have taken. The totals lack this part, too.
 *
 * Calls have other amounts besides their durations: how often an event was counted in them, a value
 * such as an argument, how long they waited. Each is a counter (event.is_counter). Its column has
 * the amount of each single span, and struct span_total the sum of all.
 *
 * A call belongs to the thread of its sample. So the samples of this thread in between belong to
 * the call. A span from one point to another belongs to no thread; its sample has the thread in
 * which it ended.
 */
#ifndef ASSAY_MODEL_SPAN_H
#define ASSAY_MODEL_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/sample.h"

struct model;

/* No types of perf_event_attr; see sample.h. */
#define EVENT_TYPE_SPAN (UINT32_C(1) << 30)
#define EVENT_TYPE_SPAN_AMOUNT (UINT32_C(1) << 29)

enum span_kind {
	SPAN_FUNCTION,
	SPAN_SYSTEM_CALL,
	SPAN_KERNEL_FUNCTION,
	SPAN_JOINED,		/* from one point to another, or a value at a point */
	SPAN_KIND_COUNT
};

/* Larger values are likely to be addresses; as 64 bits, negative ones are larger, too. */
#define SPAN_VALUE_MAX (UINT64_C(1) << 46)

/* Amounts of calls that are no events of perf. */
enum span_amount {
	SPAN_AMOUNT_VALUE,	/* of an argument, or the result; its name is in the event's */
	SPAN_AMOUNT_INTERRUPTS,	/* ns of interrupts */
	SPAN_AMOUNT_RUNNABLE,	/* ns in which the task waited for a CPU */
	SPAN_AMOUNT_BLOCKED,	/* ns in which it waited for something else */
	SPAN_AMOUNT_COUNT
};

/* The event of spans. Its config is the enum span_kind. */
static inline bool event_is_span(const struct event *event)
{
	return event->type == EVENT_TYPE_SPAN && event->config < SPAN_KIND_COUNT;
}

static inline bool event_is_call(const struct event *event)
{
	return event_is_span(event) && event->config != SPAN_JOINED;
}

/* Returns how long the span itself took, of which @sample is the single span. */
static inline uint64_t span_own_ns(const struct sample *sample)
{
	uint64_t other_ns = sample->late_ns > 0 ? (uint64_t)sample->late_ns : 0;

	return sample->weight > other_ns ? sample->weight - other_ns : 0;
}

/* Spans whose durations are from one bucket up to the next one. */
struct span_bucket {
	uint64_t from_ns, to_ns;
	uint64_t count;
};

/* One amount of all calls together. */
struct span_amount_sum {
	uint32_t counter;	/* an event of the model */
	uint64_t total;
	uint64_t missing;	/* calls that are not in the total, or only in part */
	uint64_t inside;	/* of each call, due to its probes; not in the total */
};

/* All spans of an event. */
struct span_total {
	uint32_t event;
	uint64_t count;
	uint64_t ns;
	double square_ns2;		/* sum of the squares of the durations */
	uint64_t least_ns, most_ns;	/* 0 if count is 0 */
	/* spans that were not measured: enum span_miss of bpf/span.h */
	uint64_t open, no_entry, too_deep, no_memory;
	uint64_t unsent;		/* single spans that are missing: the ring was full */
	uint64_t inside_ns;		/* of each duration; the cost of its probes */
	uint64_t slow_ns;		/* a slow span takes at least this long; 0: none is slow */
	VEC(struct span_bucket) buckets;	/* by duration; empty ones may be missing */
	VEC(struct span_amount_sum) amounts;	/* one for each counter at most */
};

struct span_totals {
	VEC(struct span_total) rows;
};

/* Returns the row of an event, adds it if it is missing; NULL when out of memory. */
struct span_total *span_total_of(struct span_totals *totals, uint32_t event);
const struct span_total *span_total_find(const struct span_totals *totals, uint32_t event);

/* Adds @count spans to the bucket; the other members stay as they are. Returns 0 or -ENOMEM. */
int span_total_add_bucket(struct span_total *total, const struct span_bucket *bucket);

/* Returns the sum of a counter, adds it if it is missing; NULL when out of memory. */
struct span_amount_sum *span_total_amount(struct span_total *total, uint32_t counter);

/*
 * Adds all of @from except its event and its amounts. Of two limits for slow spans, the greater one
 * is kept.
 */
int span_total_add(struct span_total *total, const struct span_total *from);

/*
 * Estimates how many spans are slow from the histogram: exact if slow_ns is between two buckets,
 * otherwise the spans of its bucket are assumed to be spread evenly.
 */
double span_total_slow(const struct span_total *total);
void span_total_fini(struct span_total *total);
void span_totals_fini(struct span_totals *totals);

#define SPAN_NO_EVENT UINT32_MAX

/*
 * Appends the event of spans with this name, without "span:". Returns its id, or SPAN_NO_EVENT if a
 * model has no room for it, or there is no memory.
 */
uint32_t span_event_add(struct model *model, enum span_kind kind, const char *name);

/* Appends the counter of an amount. @value is the name of SPAN_AMOUNT_VALUE. As above. */
uint32_t span_amount_add(struct model *model, enum span_amount amount, const char *value);

/* Returns true if the counter is such an amount. */
static inline bool event_is_amount(const struct event *event, enum span_amount amount)
{
	return event->is_counter && event->type == EVENT_TYPE_SPAN_AMOUNT &&
	       event->config == amount;
}

/* Returns the name of the value that was measured, if the event is that amount. */
const char *span_value_name(const struct model *model, const struct event *event);

/* Returns false for numbers that are no event, too. */
bool model_event_is_span(const struct model *model, uint64_t event);

/* Returns how late a sample is after its tick, or LATE_UNKNOWN, as for all single spans. */
int32_t sample_late_ns(const struct model *model, const struct sample *sample);

/* Returns the name without "span:", or NULL if this is no event of spans. */
const char *span_event_name(const struct model *model, uint32_t event);

#endif
