/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/spans_recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* The part of a name before its first ':' is the image. Returns NULL when out of memory. */
static const char *image_of(struct spans_recorded *spans, const char *name, size_t length)
{
	char **slot = vec_push(&spans->images);

	if (slot)
		*slot = strndup(name, length);
	return slot ? *slot : NULL;
}

/* ---- amounts ---- */

static const struct spans_column *column_of(const struct spans_recorded *spans, uint32_t event)
{
	for (size_t i = 0; i < spans->columns.count; i++)
		if (spans->columns.at[i].event == event)
			return &spans->columns.at[i];
	return NULL;
}

/* Adds the amount of some calls, of which those that are @missing are not in @total. */
static void add_amount(struct span_times *times, const struct spans_column *column, double total,
		       uint64_t missing)
{
	switch (column->amount) {
	case SPAN_AMOUNT_VALUE:
		times->values += total;
		times->no_amount += missing;
		break;
	case SPAN_AMOUNT_RUNNABLE:
		times->run_queue_ns += total;
		times->off_ns += total;
		break;
	case SPAN_AMOUNT_BLOCKED:
		times->off_ns += total;
		break;
	case SPAN_AMOUNT_INTERRUPTS:
		times->counts[SPAN_INTERRUPTS] += total;
		break;
	default:
		times->counts[column->counter] += total;
	}
	/* These are the same calls, whatever a part of them lacks. */
	if (column->amount != SPAN_AMOUNT_VALUE && missing > times->incomplete)
		times->incomplete = missing;
}

/* The amount is shown if there is room for it, as there is for all of one recording. */
static int add_column(struct spans_recorded *spans, const struct model *model, uint32_t event,
		      uint32_t column)
{
	const struct event *counter = &model->events.at[event];
	bool is_event = counter->type != EVENT_TYPE_SPAN_AMOUNT ||
			counter->config >= SPAN_AMOUNT_COUNT;
	struct spans_column *slot;

	if (is_event && spans->counter_count == SPAN_EVENTS)
		return 0;
	if (event_is_amount(counter, SPAN_AMOUNT_VALUE) && spans->value)
		return 0;
	slot = vec_push(&spans->columns);
	if (!slot)
		return -ENOMEM;
	*slot = (struct spans_column){
		.event = event,
		.column = column,
		.amount = is_event ? -1 : (int)counter->config,
		.counter = is_event ? spans->counter_count : 0,
	};
	if (event_is_amount(counter, SPAN_AMOUNT_VALUE))
		spans->value = span_value_name(model, counter);
	spans->waits |= event_is_amount(counter, SPAN_AMOUNT_BLOCKED);
	spans->interrupts |= event_is_amount(counter, SPAN_AMOUNT_INTERRUPTS);
	if (!is_event)
		return 0;
	spans->counter_names[spans->counter_count] = model_string(model, counter->name);
	spans->counter_kinds[spans->counter_count++] = (struct counter_kind){
		.type = counter->type,
		.config = counter->config,
		.is_time = counter->is_time,
	};
	return 0;
}

static bool is_measured(const struct model *model, uint32_t event)
{
	for (size_t i = 0; i < model->spans.rows.count; i++) {
		const struct span_total *total = &model->spans.rows.at[i];

		for (size_t k = 0; k < total->amounts.count; k++)
			if (total->amounts.at[k].counter == event)
				return true;
	}
	return false;
}

/* Counters that are read with samples, but not in spans, are left out. */
static int find_columns(struct spans_recorded *spans, const struct model *model)
{
	uint32_t column = 0;

	for (uint32_t i = 0; i < model->events.count; i++) {
		if (!model->events.at[i].is_counter)
			continue;
		if (is_measured(model, i) && add_column(spans, model, i, column) < 0)
			return -ENOMEM;
		column++;
	}
	return 0;
}

/* ---- rows ---- */

static void fill(const struct spans_recorded *spans, struct span_row *row,
		 const struct span_total *total)
{
	struct span_times *times = &row->times;

	row->inside_ns = total->inside_ns;
	row->slow_ns = total->slow_ns;
	row->slow_count = span_total_slow(total);
	times->count = total->count;
	times->total_ns = (double)total->ns;
	times->square_ns2 = total->square_ns2;
	times->least_ns = total->least_ns;
	times->most_ns = total->most_ns;
	times->misses[SPAN_OPEN] = total->open;
	times->misses[SPAN_NO_ENTRY] = total->no_entry;
	times->misses[SPAN_TOO_DEEP] = total->too_deep;
	times->misses[SPAN_NO_MEMORY] = total->no_memory;
	for (size_t i = 0; i < total->buckets.count; i++)
		times->buckets[span_bucket(total->buckets.at[i].from_ns)] +=
			total->buckets.at[i].count;
	for (size_t i = 0; i < total->amounts.count; i++) {
		const struct span_amount_sum *sum = &total->amounts.at[i];
		const struct spans_column *column = column_of(spans, sum->counter);

		if (column)
			add_amount(times, column, (double)sum->total, sum->missing);
	}
}

static double less(double total, double cost)
{
	return total > cost ? total - cost : 0;
}

/* Single spans are recorded with what their own probes cost. */
static void fill_slow(const struct spans_recorded *spans, struct span_times *times,
		      const struct span_total *total, const struct span_slow *slow)
{
	double count = (double)slow->count;

	*times = (struct span_times){
		.count = slow->count,
		.total_ns = less(slow->ns, count * (double)total->inside_ns),
	};
	for (size_t i = 0; i < total->amounts.count; i++) {
		const struct span_amount_sum *sum = &total->amounts.at[i];
		const struct spans_column *column = column_of(spans, sum->counter);
		const struct span_slow_amount *amount;

		if (!column || column->column >= SPAN_SLOW_COLUMNS)
			continue;
		amount = &slow->amounts[column->column];
		add_amount(times, column, less(amount->total, count * (double)sum->inside),
			   amount->missing);
	}
}

static int add(struct spans_recorded *spans, const struct span_total *total,
	       const struct event *event, const char *name)
{
	const char *colon = event->config == SPAN_JOINED ? NULL : strchr(name, ':');
	struct span_row *row = vec_push(&spans->rows);

	if (!row)
		return -ENOMEM;
	*row = (struct span_row){
		.kind = (enum span_kind)event->config,
		.image = colon ? image_of(spans, name, (size_t)(colon - name)) : "",
		.name = colon ? colon + 1 : name,
	};
	fill(spans, row, total);
	return row->image ? 0 : -ENOMEM;
}

static int add_slow(struct spans_recorded *spans, const struct span_total *total,
		    const struct span_slow_list *list)
{
	const struct span_slow *slow = span_slow_find(list, total->event);
	struct span_times *times;

	if (!slow)
		return 0;
	times = vec_push(&spans->slow);
	if (!times)
		return -ENOMEM;
	fill_slow(spans, times, total, slow);
	spans->rows.at[spans->rows.count - 1].slow = times;
	return 0;
}

int spans_recorded_make(const struct model *model, const struct filter *filter,
			const struct span_slow_list *slow, struct spans_recorded *ret_spans)
{
	*ret_spans = (struct spans_recorded){ 0 };
	/* rows borrow them, so they must not move */
	if (find_columns(ret_spans, model) < 0 ||
	    vec_reserve(&ret_spans->slow, slow ? slow->rows.count : 0) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < model->spans.rows.count; i++) {
		const struct span_total *total = &model->spans.rows.at[i];
		const char *name = span_event_name(model, total->event);

		if (!name || (filter && !filter_patterns_match(&filter->spans, name)))
			continue;
		if (add(ret_spans, total, &model->events.at[total->event], name) < 0 ||
		    (slow && add_slow(ret_spans, total, slow) < 0))
			return -ENOMEM;
	}
	if (ret_spans->rows.count)
		qsort(ret_spans->rows.at, ret_spans->rows.count, sizeof(*ret_spans->rows.at),
		      spans_compare_rows);
	return 0;
}

void spans_recorded_describe(const struct spans_recorded *spans, struct spans_print *print)
{
	print->waits = spans->waits;
	print->interrupts = spans->interrupts;
	print->also_value = spans->value;
	print->counter_count = spans->counter_count;
	print->counter_names = spans->counter_names;
	print->counter_kinds = spans->counter_kinds;
}

int spans_recorded_json(struct json *json, const struct model *model)
{
	_cleanup_(spans_recorded_fini) struct spans_recorded spans = { 0 };
	struct spans_print print = { .format = SPANS_JSON };
	int rc = spans_recorded_make(model, NULL, NULL, &spans);

	spans_recorded_describe(&spans, &print);
	if (rc == 0 && spans.rows.count)
		spans_json_members(json, &print, spans.rows.at, spans.rows.count);
	return rc;
}

void spans_recorded_fini(struct spans_recorded *spans)
{
	for (size_t i = 0; i < spans->images.count; i++)
		free(spans->images.at[i]);
	vec_free(&spans->images);
	vec_free(&spans->slow);
	vec_free(&spans->columns);
	vec_free(&spans->rows);
}
