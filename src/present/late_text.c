/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints all samples, samples on time and late samples of each function side by side, like the
 * profiler SPIN.
 *
 * A timer interrupt cannot happen while interrupts are off. It is delayed until a function turns
 * interrupts on again. The late sample is then charged to that function, although other code was
 * running when the timer expired.
 */
#include "present/text.h"

#include <inttypes.h>

#define LATE_ROWS 10	/* maximum number of rows in a brief report */

static int compare_late(const void *a, const void *b)
{
	const struct group_row *left = *(const struct group_row *const *)a;
	const struct group_row *right = *(const struct group_row *const *)b;
	uint64_t l = left->late_samples, r = right->late_samples;

	return l != r ? (l < r) - (l > r) : (left > right) - (left < right);
}

static void put_row(struct text *text, struct table *table, const struct group_row *row)
{
	const struct overview *o = text->overview;
	const struct group_table *functions = &o->functions;
	uint64_t all = functions->total.samples, late = functions->late_samples;
	struct count late_count = { .samples = row->late_samples };
	struct count late_total = { .samples = late };
	struct figures figures = { .count = &late_count, .total = &late_total };

	table_cell(table, "%" PRIu64, row->count.samples);
	table_cell(table, "%" PRIu64, row->count.samples - row->late_samples);
	table_cell(table, "%.2f%%", percent_of(row->count.samples - row->late_samples, all - late));
	table_cell(table, "%" PRIu64, row->late_samples);
	cells_share(table, &figures);
	table_mark(table, group_row_absorbs(row) ? "!" : mark_few(row->late_samples));
	cells_of_function(table, o->profile, row->key[0]);
}

/* Prints only functions that have late samples. All samples of the other functions are on time. */
static void print_listings(struct text *text, const struct group_row *const *rows, size_t count)
{
	static const struct table_column columns[] = {
		RIGHT("all"),	  RIGHT("on time"),
		RIGHT("share"),	  RIGHT("late"),
		RIGHT("share"),	  RIGHT("95 % interval"),
		LEFT(""),	  PATH("image", IMAGE_COLUMNS),
		LEFT("function"),
	};
	struct table table = { .columns = columns, .column_count = 9 };
	size_t late = 0, shown;
	uint64_t rest = text->overview->functions.late_samples;

	while (late < count && rows[late]->late_samples)
		late++;
	shown = text_limit(text, late, LATE_ROWS);
	while (text->style->brief && shown > TEXT_ROWS_MIN && rows[shown - 1]->late_samples == 1)
		shown--;
	for (size_t i = 0; i < shown; i++) {
		put_row(text, &table, rows[i]);
		rest -= rows[i]->late_samples;
	}
	text_table(text, &table);
	text_rest(text, shown, late, rest);
}

void text_late(struct text *text)
{
	const struct overview *o = text->overview;
	size_t count = o->functions.rows.count;
	const struct group_row **rows;

	if (!o->profile->tick_samples || !count)
		return;
	rows = calloc(count, sizeof(struct group_row *));
	if (!rows) {
		text->rc = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		rows[i] = &o->functions.rows.at[i];
	qsort(rows, count, sizeof(struct group_row *), compare_late);
	text_title(text, "Late samples");
	text_line(text,
		  "A sample of kernel code is late if it was taken more than %.1f us after its "
		  "tick. 99 %% of the samples in user mode are taken within that time. User "
		  "code cannot delay a tick, so its samples are never called late. The table "
		  "shows all samples, those on time, and the late ones:",
		  (double)o->profile->late_threshold_ns / 1e3);
	print_listings(text, rows, count);
	free(rows);
}
