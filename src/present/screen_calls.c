/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section of the first screen about calls that were measured during the recording. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "present/screen.h"
#include "present/spans-private.h"
#include "present/spans_recorded.h"
#include "present/table.h"

#define CALL_ROWS 5

static void put_row(struct table *table, const struct span_row *row)
{
	const struct span_times *times = &row->times;
	bool is_joined = row->kind == SPAN_JOINED;

	spans_ns_cell(table, times->total_ns);
	table_cell(table, "%" PRIu64, times->count);
	spans_ns_cell(table, span_percentile(times, 0.5).ns);
	spans_ns_cell(table, span_percentile(times, 0.99).ns);
	spans_ns_cell(table, (double)times->most_ns);
	if (row->slow_ns)
		table_cell(table, "%.0f", row->slow_count);
	else
		table_cell(table, "-");
	table_cell(table, "%s%s%s", row->image, is_joined ? "" : ":", row->name);
}

void text_top_calls(struct text *text)
{
	static const struct table_column columns[] = {
		RIGHT("total"), RIGHT("calls"), RIGHT("p50"),	       RIGHT("p99"),
		RIGHT("max"),	RIGHT("slow"),	LEFT("measured call"),
	};
	_cleanup_(spans_recorded_fini) struct spans_recorded spans = { 0 };
	struct table table = { .columns = columns, .column_count = 7 };
	int rc = spans_recorded_make(text->overview->profile->model, NULL, NULL, &spans);
	size_t count;

	if (rc < 0)
		text->rc = rc;
	for (count = 0; count < spans.rows.count && spans.rows.at[count].times.count; count++)
		if (count < CALL_ROWS)
			put_row(&table, &spans.rows.at[count]);
	if (!count)
		return;
	text_blank(text);
	text_table(text, &table);
	if (count > CALL_ROWS)
		(void)fprintf(text->out, "  ... %zu more\n", count - CALL_ROWS);
}
