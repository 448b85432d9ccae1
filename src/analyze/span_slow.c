/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/span_slow.h"

#include <errno.h>

struct reading {
	struct span_slow_list *list;
	uint64_t slow_ns[256];	/* by event; UINT64_MAX: none is slow */
	bool is_value[SPAN_SLOW_COLUMNS];
};

static void know_events(struct reading *reading, const struct model *model)
{
	size_t column = 0;

	for (uint32_t i = 0; i < 256; i++) {
		const struct span_total *total = span_total_find(&model->spans, i);

		reading->slow_ns[i] = total && total->slow_ns ? total->slow_ns : UINT64_MAX;
	}
	for (size_t i = 0; i < model->events.count; i++) {
		const struct event *event = &model->events.at[i];

		if (event->is_counter && column < SPAN_SLOW_COLUMNS)
			reading->is_value[column++] = event_is_amount(event, SPAN_AMOUNT_VALUE);
	}
}

static struct span_slow *row_of(struct span_slow_list *list, uint32_t event)
{
	struct span_slow *row = (struct span_slow *)span_slow_find(list, event);

	if (row)
		return row;
	row = vec_push(&list->rows);
	if (row)
		*row = (struct span_slow){ .event = event };
	return row;
}

static void add_amounts(const struct reading *reading, struct span_slow *row,
			const struct sample_batch *batch, size_t i)
{
	const uint64_t *amounts = batch->counters.at + i * batch->counter_count;

	for (uint32_t k = 0; k < batch->counter_count && k < SPAN_SLOW_COLUMNS; k++)
		if (reading->is_value[k] && amounts[k] > SPAN_VALUE_MAX)
			row->amounts[k].missing++;
		else
			row->amounts[k].total += (double)amounts[k];
}

static int visit(void *context, const struct sample_batch *batch)
{
	const struct reading *reading = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];
		struct span_slow *row;

		if (span_own_ns(sample) < reading->slow_ns[sample->event])
			continue;
		row = row_of(reading->list, sample->event);
		if (!row)
			return -ENOMEM;
		row->count++;
		row->ns += (double)span_own_ns(sample);
		add_amounts(reading, row, batch, i);
	}
	return 0;
}

int span_slow_read(struct recording *recording, struct model *model,
		   struct span_slow_list *ret_list, struct err *err)
{
	struct losses losses = model->losses;
	struct reading reading = { .list = ret_list };
	int rc;

	*ret_list = (struct span_slow_list){ 0 };
	know_events(&reading, model);
	rc = recording_each_block(recording, model, NULL, visit, &reading, err);
	/* other passes count the same damaged blocks */
	model->losses = losses;
	return rc == -ENOMEM ? err_set(err, rc, "no memory for the spans of the recording") : rc;
}

void span_slow_fini(struct span_slow_list *list)
{
	vec_free(&list->rows);
}

const struct span_slow *span_slow_find(const struct span_slow_list *list, uint32_t event)
{
	for (size_t i = 0; i < list->rows.count; i++)
		if (list->rows.at[i].event == event)
			return &list->rows.at[i];
	return NULL;
}
