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

static void fill(struct span_row *row, const struct span_total *total)
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
	fill(row, total);
	return row->image ? 0 : -ENOMEM;
}

int spans_recorded_make(const struct model *model, const struct filter *filter,
			struct spans_recorded *ret_spans)
{
	*ret_spans = (struct spans_recorded){ 0 };
	for (size_t i = 0; i < model->spans.rows.count; i++) {
		const struct span_total *total = &model->spans.rows.at[i];
		const char *name = span_event_name(model, total->event);

		if (name && (!filter || filter_patterns_match(&filter->spans, name)) &&
		    add(ret_spans, total, &model->events.at[total->event], name) < 0)
			return -ENOMEM;
	}
	if (ret_spans->rows.count)
		qsort(ret_spans->rows.at, ret_spans->rows.count, sizeof(*ret_spans->rows.at),
		      spans_compare_rows);
	return 0;
}

int spans_recorded_json(struct json *json, const struct model *model)
{
	_cleanup_(spans_recorded_fini) struct spans_recorded spans = { 0 };
	const struct spans_print print = { .format = SPANS_JSON };
	int rc = spans_recorded_make(model, NULL, &spans);

	if (rc == 0 && spans.rows.count)
		spans_json_members(json, &print, spans.rows.at, spans.rows.count);
	return rc;
}

void spans_recorded_fini(struct spans_recorded *spans)
{
	for (size_t i = 0; i < spans->images.count; i++)
		free(spans->images.at[i]);
	vec_free(&spans->images);
	vec_free(&spans->rows);
}
