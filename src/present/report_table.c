/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints one table whose rows are grouped by any dimensions, as text, JSON or CSV. */
#include "present/report.h"

#include <inttypes.h>

#include "analyze/file_parts.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "present/escape.h"
#include "present/function_note.h"
#include "present/row_json.h"
#include "present/share.h"
#include "present/table.h"
#include "present/text.h"
#include "present/losses.h"

#define FIGURE_COLUMNS 62	/* terminal columns reserved for the numbers and the last label */
#define LABEL_COLUMNS_MIN 8
#define BAR_COLUMNS 20
#define LABEL_COLUMNS_MAX 24

/*
 * Returns the maximum width of each label except the last one. The maximum applies only on a
 * terminal.
 */
static size_t label_columns(const struct report_style *style, size_t label_count)
{
	size_t room = style->columns > FIGURE_COLUMNS ? style->columns - FIGURE_COLUMNS : 0;
	size_t each = label_count > 1 ? room / (label_count - 1) : room;

	if (each < LABEL_COLUMNS_MIN)
		return LABEL_COLUMNS_MIN;
	return each < LABEL_COLUMNS_MAX ? each : LABEL_COLUMNS_MAX;
}

/*
 * A label to print in each row. It is either one of the row's keys or an image. In the second case,
 * the key is a function or block, the label is the image that contains it, and the next label is
 * the key itself.
 */
struct label {
	enum dimension dimension;
	size_t key;
	/* returns the image of a key; NULL: the label is the key itself */
	uint64_t (*image_of)(const struct profile *profile, uint64_t key);
};

struct labels {
	struct label at[2 * GROUP_KEYS_MAX];
	size_t count;
};

static bool has(const struct group_table *table, enum dimension dimension)
{
	return dimensions_have(table->by, table->by_count, dimension);
}

static struct labels labels_of(const struct group_table *table)
{
	struct labels labels = { 0 };

	for (size_t i = 0; i < table->by_count; i++) {
		if (table->by[i] == BY_FUNCTION && !has(table, BY_IMAGE))
			labels.at[labels.count++] = (struct label){ BY_IMAGE, i,
								    group_function_image };
		if (table->by[i] == BY_BLOCK && !has(table, BY_IMAGE) && !has(table, BY_FUNCTION))
			labels.at[labels.count++] = (struct label){ BY_IMAGE, i,
								    group_block_image };
		labels.at[labels.count++] = (struct label){ table->by[i], i, NULL };
	}
	return labels;
}

static uint64_t key_of(const struct profile *profile, const struct group_row *row,
		       const struct label *label)
{
	uint64_t key = row->key[label->key];

	return label->image_of ? label->image_of(profile, key) : key;
}

static const struct event *event_of(const struct profile *profile, const struct group_table *table,
				    const struct group_row *row)
{
	return json_event(profile, group_row_event(table, row));
}

static size_t rows_shown(const struct group_table *table, const struct report_style *style)
{
	size_t count = table->rows.count;

	return style->limit && style->limit < count ? style->limit : count;
}

/* ---- text ---- */

static uint64_t other_events(const struct profile *profile, const struct group_table *table)
{
	uint64_t samples = 0;

	for (unsigned int event = 0; event < 256; event++)
		if (event != table->event)
			samples += profile->total_samples[event];
	return samples;
}

static void print_heading(const struct profile *profile, const struct group_table *table,
			  const struct report_style *style, FILE *out)
{
	char line[REPORT_LABEL_MAX + 256], event[REPORT_LABEL_MAX] = "all events", idle[64] = "";
	size_t width = style->columns ? style->columns : TEXT_COLUMNS;
	bool one_event = table->rows.count && !has(table, BY_EVENT);
	bool by_weight = one_event && group_goes_by_weight(profile, table->event);
	bool is_exact = count_is_exact(&table->total, by_weight);
	char amount[AMOUNT_TEXT_MAX] = "";

	if (one_event) {
		group_label(profile, BY_EVENT, table->event, event, sizeof(event));
		amount_text(&table->total, json_event(profile, table->event), amount);
	}
	if (table->idle_samples)
		(void)snprintf(idle, sizeof(idle), " (%" PRIu64 " of them idle)",
			       table->idle_samples);
	(void)snprintf(line, sizeof(line), "%" PRIu64 " samples of %s%s%s; %s%s",
		       table->total.samples, event, idle, amount,
		       text_legend(&table->total, by_weight), is_exact ? "" : "; !: mostly late");
	wrap_text(out, line, 0, width);
	(void)fputc('\n', out);
	if (one_event && other_events(profile, table))
		(void)fprintf(out,
			      "%" PRIu64 " more samples of other events: use %s=NAME or "
			      "%s=event\n",
			      other_events(profile, table), style->settings->event,
			      style->settings->by);
}

/* Only rows by time are in an order in which a bar shows more than the share does. */
static bool draws_bars(const struct group_table *table)
{
	return table->by_count == 1 && table->by[0] == BY_TIME;
}

static uint64_t highest_rank(const struct group_table *table)
{
	uint64_t highest = 0;

	for (size_t i = 0; i < table->rows.count; i++)
		if (table->rows.at[i].rank > highest)
			highest = table->rows.at[i].rank;
	return highest;
}

/* Adds a cell with a bar. The longest bar is that of the row with the rank @highest. */
static void put_bar(struct table *cells, const struct group_row *row, uint64_t highest)
{
	static const char bar[BAR_COLUMNS + 1] = "####################";
	double part = highest ? (double)row->rank / (double)highest : 0;

	table_cell(cells, "%.*s", (int)(part * BAR_COLUMNS + 0.5), bar);
}

/* Fills in the columns of the table and returns their number. */
static size_t set_columns(const struct profile *profile, const struct group_table *table,
			  const struct labels *labels, const struct report_style *style,
			  struct table_column *columns)
{
	size_t label_max = label_columns(style, labels->count), count = 0;
	const char *weight = "weight";

	if (!has(table, BY_EVENT) && table->rows.count)
		weight = json_event(profile, table->event)->is_time ? "seconds" : "events";
	columns[count++] = (struct table_column)RIGHT("hits");
	if (!style->no_weight)
		columns[count++] = (struct table_column)RIGHT(weight);
	columns[count++] = (struct table_column)RIGHT("share");
	columns[count++] = (struct table_column)RIGHT("95 % interval");
	columns[count++] = (struct table_column)LEFT("");
	if (draws_bars(table))
		columns[count++] = (struct table_column)LEFT("");
	for (size_t i = 0; i < labels->count; i++) {
		enum dimension dimension = labels->at[i].dimension;

		columns[count++] = (struct table_column){
			.title = dimension_name(dimension),
			.left = true,
			.cut = dimension == BY_IMAGE ? CUT_HEAD : CUT_NAME,
			.max = label_max,
		};
	}
	return count;
}

static void put_figures(struct table *cells, const struct profile *profile,
			const struct group_table *table, const struct report_style *style,
			const struct group_row *row)
{
	const struct event *event = event_of(profile, table, row);
	const struct figures figures = {
		.count = &row->count,
		.total = group_row_total(table, row),
		.is_time = event->is_time,
		.by_weight = count_goes_by_weight(event),
		.mark = mark_row(row, count_goes_by_weight(event)),
	};

	table_cell(cells, "%" PRIu64, row->count.samples);
	if (!style->no_weight)
		cell_weight(cells, row->count.weight, figures.is_time);
	cells_share(cells, &figures);
	table_mark(cells, figures.mark);
}

/*
 * If the table has rows by source line, finds how much of each file's path must be shown to tell
 * the files in the table apart. Returns 0 or -ENOMEM.
 */
static int find_parts(const struct profile *profile, const struct group_table *table,
		      struct file_parts *parts)
{
	for (size_t k = 0; k < table->by_count; k++) {
		if (table->by[k] != BY_LINE)
			continue;
		for (size_t i = 0; i < table->rows.count; i++) {
			int rc = file_parts_add_line(parts, profile, table->rows.at[i].key[k]);

			if (rc < 0)
				return rc;
		}
	}
	file_parts_settle(parts);
	return 0;
}

static void put_label(struct table *cells, const struct profile *profile,
		      const struct file_parts *parts, enum dimension dimension, uint64_t key)
{
	char text[REPORT_LABEL_MAX];

	if (dimension != BY_LINE) {
		cell_label(cells, profile, dimension, key);
		return;
	}
	file_parts_label(parts, profile, key, text, sizeof(text));
	table_name(cells, text);
}

int table_rows_as_text(const struct profile *profile, const struct group_table *table, size_t first,
		       const struct report_style *style, FILE *out)
{
	_cleanup_(file_parts_fini) struct file_parts parts = { 0 };
	struct labels labels = labels_of(table);
	struct table_column columns[6 + 2 * GROUP_KEYS_MAX];
	struct table cells = { .columns = columns,
			       .width = style->columns,
			       .palette = style->palette };
	size_t shown = rows_shown(table, style);
	uint64_t highest = highest_rank(table);
	int rc = find_parts(profile, table, &parts);

	if (rc < 0)
		return rc;
	cells.column_count = set_columns(profile, table, &labels, style, columns);
	for (size_t i = first; i < table->rows.count && i - first < shown; i++) {
		const struct group_row *row = &table->rows.at[i];

		put_figures(&cells, profile, table, style, row);
		if (draws_bars(table))
			put_bar(&cells, row, highest);
		for (size_t j = 0; j < labels.count; j++)
			put_label(&cells, profile, &parts, labels.at[j].dimension,
				  key_of(profile, row, &labels.at[j]));
	}
	return table_print(&cells, out);
}

int table_as_text(const struct profile *profile, const struct group_table *table,
		  const struct report_style *style, FILE *out)
{
	size_t shown = rows_shown(table, style), left_out = table->rows.count - shown;
	uint64_t rest = table->total.samples;
	int rc;

	for (size_t i = 0; i < shown; i++)
		rest -= table->rows.at[i].count.samples;
	print_heading(profile, table, style, out);
	rc = table_rows_as_text(profile, table, 0, style, out);
	if (left_out)
		(void)fprintf(out, TEXT_REST "\n", left_out, left_out == 1 ? "" : "s", rest,
			      style->settings->limit);
	return rc;
}

/* ---- JSON ---- */

static void json_place(struct json *json, const struct profile *profile, uint64_t key)
{
	if (key >> 32 == 0)
		return;
	json_string(json, "file", string_of(profile->model, key >> 32));
	json_u64(json, "line_number", (uint32_t)key);
}

static void json_row(struct json *json, const struct profile *profile,
		     const struct group_table *table, const struct labels *labels,
		     const struct group_row *row)
{
	json_open(json, NULL, '{');
	for (size_t i = 0; i < labels->count; i++) {
		json_label(json, profile, labels->at[i].dimension,
			   key_of(profile, row, &labels->at[i]));
		if (labels->at[i].dimension == BY_LINE)
			json_place(json, profile, row->key[labels->at[i].key]);
	}
	json_figures(json, &row->count, group_row_total(table, row), event_of(profile, table, row));
	json_u64(json, "late_samples", row->late_samples);
	json_close(json);
}

void table_members(struct json *json, const struct profile *profile,
		   const struct group_table *table, const struct report_style *style)
{
	struct labels labels = labels_of(table);

	if (table->rows.count && !has(table, BY_EVENT))
		json_label(json, profile, BY_EVENT, table->event);
	json_u64(json, "samples", table->total.samples);
	json_u64(json, "idle_samples", table->idle_samples);
	json_open(json, "by", '[');
	for (size_t i = 0; i < table->by_count; i++)
		json_string(json, NULL, dimension_name(table->by[i]));
	json_close(json);
	json_open(json, "rows", '[');
	for (size_t i = 0; i < rows_shown(table, style); i++)
		json_row(json, profile, table, &labels, &table->rows.at[i]);
	json_close(json);
}

int table_as_json(const struct profile *profile, const struct group_table *table,
		  const struct report_style *style, FILE *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_u64(&json, "version", 1);
	losses_json(&json, LOSSES_KEY, profile->model);
	table_members(&json, profile, table, style);
	json_close(&json);
	return 0;
}

/* ---- CSV ---- */

static void csv_label(const struct profile *profile, enum dimension dimension, uint64_t key,
		      FILE *out)
{
	char label[REPORT_LABEL_MAX], scratch[GROUP_IMAGE_NAME_MAX];

	if (dimension != BY_FUNCTION)
		group_label(profile, dimension, key, label, sizeof(label));
	escape_csv(out,
		   dimension == BY_FUNCTION ? group_function_name(profile, key, scratch) : label);
	(void)fputc(',', out);
}

static void csv_place(const struct profile *profile, uint64_t key, FILE *out)
{
	(void)fputc(',', out);
	if (key >> 32 == 0) {
		(void)fputc(',', out);
		return;
	}
	escape_csv(out, string_of(profile->model, key >> 32));
	(void)fprintf(out, ",%" PRIu32, (uint32_t)key);
}

static void csv_row(const struct profile *profile, const struct group_table *table,
		    const struct labels *labels, const struct group_row *row, FILE *out)
{
	const struct event *event = event_of(profile, table, row);
	const struct count *total = group_row_total(table, row);

	for (size_t i = 0; i < labels->count; i++)
		csv_label(profile, labels->at[i].dimension, key_of(profile, row, &labels->at[i]),
			  out);
	if (!has(table, BY_EVENT))
		csv_label(profile, BY_EVENT, table->event, out);
	(void)fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", row->count.samples,
		      row->late_samples, row->count.weight);
	if (event->is_time)
		(void)fprintf(out, "%.9g", (double)row->count.weight / 1e9);
	share_csv(&(struct share){ &row->count, total, count_goes_by_weight(event) }, out);
	for (size_t i = 0; i < table->by_count; i++)
		if (table->by[i] == BY_LINE)
			csv_place(profile, row->key[i], out);
	for (size_t i = 0; i < table->by_count; i++)
		if (table->by[i] == BY_FUNCTION)
			csv_quality(out, profile, row->key[i]);
	(void)fputs("\r\n", out);
}

int table_as_csv(const struct profile *profile, const struct group_table *table,
		 const struct report_style *style, FILE *out)
{
	struct labels labels = labels_of(table);

	for (size_t i = 0; i < labels.count; i++)
		(void)fprintf(out, "%s,", dimension_name(labels.at[i].dimension));
	(void)fprintf(out, "%ssamples,late_samples,weight,seconds,share,low,high%s",
		      has(table, BY_EVENT) ? "" : "event,",
		      has(table, BY_LINE) ? ",file,line_number" : "");
	if (has(table, BY_FUNCTION))
		csv_quality_titles(out, "");
	(void)fputs("\r\n", out);
	for (size_t i = 0; i < rows_shown(table, style); i++)
		csv_row(profile, table, &labels, &table->rows.at[i], out);
	return 0;
}
