/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/span.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/model.h"

#define PREFIX "span:"
#define VALUE_PREFIX "span-value:"

struct span_total *span_total_of(struct span_totals *totals, uint32_t event)
{
	struct span_total *total = (struct span_total *)span_total_find(totals, event);

	if (total)
		return total;
	total = vec_push(&totals->rows);
	if (total)
		*total = (struct span_total){ .event = event };
	return total;
}

const struct span_total *span_total_find(const struct span_totals *totals, uint32_t event)
{
	for (size_t i = 0; i < totals->rows.count; i++)
		if (totals->rows.at[i].event == event)
			return &totals->rows.at[i];
	return NULL;
}

int span_total_add_bucket(struct span_total *total, const struct span_bucket *bucket)
{
	size_t at = total->buckets.count;

	while (at > 0 && total->buckets.at[at - 1].from_ns > bucket->from_ns)
		at--;
	if (at > 0 && total->buckets.at[at - 1].from_ns == bucket->from_ns) {
		total->buckets.at[at - 1].count += bucket->count;
		return 0;
	}
	if (!vec_push(&total->buckets))
		return -ENOMEM;
	memmove(&total->buckets.at[at + 1], &total->buckets.at[at],
		(total->buckets.count - 1 - at) * sizeof(*bucket));
	total->buckets.at[at] = *bucket;
	return 0;
}

struct span_amount_sum *span_total_amount(struct span_total *total, uint32_t counter)
{
	struct span_amount_sum *sum;

	for (size_t i = 0; i < total->amounts.count; i++)
		if (total->amounts.at[i].counter == counter)
			return &total->amounts.at[i];
	sum = vec_push(&total->amounts);
	if (sum)
		*sum = (struct span_amount_sum){ .counter = counter };
	return sum;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

int span_total_add(struct span_total *total, const struct span_total *from)
{
	if (from->count && (!total->count || from->least_ns < total->least_ns))
		total->least_ns = from->least_ns;
	total->most_ns = greater(total->most_ns, from->most_ns);
	total->slow_ns = greater(total->slow_ns, from->slow_ns);
	total->inside_ns = greater(total->inside_ns, from->inside_ns);
	total->count += from->count;
	total->ns += from->ns;
	total->square_ns2 += from->square_ns2;
	total->open += from->open;
	total->no_entry += from->no_entry;
	total->too_deep += from->too_deep;
	total->no_memory += from->no_memory;
	total->unsent += from->unsent;
	for (size_t i = 0; i < from->buckets.count; i++)
		if (span_total_add_bucket(total, &from->buckets.at[i]) < 0)
			return -ENOMEM;
	return 0;
}

double span_total_slow(const struct span_total *total)
{
	double limit_ns = (double)total->slow_ns - (double)total->inside_ns, count = 0;

	if (!total->slow_ns)
		return 0;
	for (size_t i = 0; i < total->buckets.count; i++) {
		const struct span_bucket *bucket = &total->buckets.at[i];
		double from_ns = (double)bucket->from_ns, to_ns = (double)bucket->to_ns;
		double slow_ns = to_ns - limit_ns, width_ns = to_ns - from_ns;

		if (slow_ns > width_ns)
			slow_ns = width_ns;
		if (slow_ns > 0)
			count += (double)bucket->count * slow_ns / width_ns;
	}
	return count;
}

void span_total_fini(struct span_total *total)
{
	vec_free(&total->buckets);
	vec_free(&total->amounts);
}

void span_totals_fini(struct span_totals *totals)
{
	for (size_t i = 0; i < totals->rows.count; i++)
		span_total_fini(&totals->rows.at[i]);
	vec_free(&totals->rows);
}

static uint32_t add_event(struct model *model, const char *prefix, const char *name,
			  const struct event *event)
{
	_cleanup_free_ char *text = NULL;
	struct event *slot;

	if (model->events.count > UINT8_MAX || asprintf(&text, "%s%s", prefix, name) < 0)
		return SPAN_NO_EVENT;
	slot = vec_push(&model->events);
	if (!slot)
		return SPAN_NO_EVENT;
	*slot = *event;
	slot->name = model_intern(model, text);
	return (uint32_t)(model->events.count - 1);
}

uint32_t span_event_add(struct model *model, enum span_kind kind, const char *name)
{
	return add_event(model, PREFIX, name,
			 &(struct event){
				 .type = EVENT_TYPE_SPAN,
				 .config = kind,
				 .period = 1,
				 .is_time = true,
			 });
}

uint32_t span_amount_add(struct model *model, enum span_amount amount, const char *value)
{
	static const char *const names[SPAN_AMOUNT_COUNT] = {
		[SPAN_AMOUNT_VALUE] = VALUE_PREFIX,
		[SPAN_AMOUNT_INTERRUPTS] = "span-interrupts",
		[SPAN_AMOUNT_RUNNABLE] = "span-runnable",
		[SPAN_AMOUNT_BLOCKED] = "span-blocked",
	};
	bool is_value = amount == SPAN_AMOUNT_VALUE;

	return add_event(model, names[amount], is_value ? value : "",
			 &(struct event){
				 .type = EVENT_TYPE_SPAN_AMOUNT,
				 .config = amount,
				 .is_time = !is_value,
				 .is_counter = true,
			 });
}

const char *span_value_name(const struct model *model, const struct event *event)
{
	const char *name = model_string(model, event->name);

	return strncmp(name, VALUE_PREFIX, strlen(VALUE_PREFIX)) == 0 ? name + strlen(VALUE_PREFIX)
								      : name;
}

bool model_event_is_span(const struct model *model, uint64_t event)
{
	return event < model->events.count && event_is_span(&model->events.at[event]);
}

const char *span_event_name(const struct model *model, uint32_t event)
{
	const char *name;

	if (!model_event_is_span(model, event))
		return NULL;
	name = model_string(model, model->events.at[event].name);
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 ? name + strlen(PREFIX) : name;
}

int32_t sample_late_ns(const struct model *model, const struct sample *sample)
{
	return model_event_is_span(model, sample->event) ? LATE_UNKNOWN : sample->late_ns;
}
