/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/stat_diff.h"

#include <math.h>
#include <string.h>

#include "present/escape.h"
#include "present/table.h"

#define FORMAT_VERSION 1

const char *stat_diff_verdict(const struct stat_diff_row *row)
{
	if (!isfinite(row->change.variance))
		return "unknown";
	return row->p_adjusted < STAT_DIFF_LEVEL ? "significant" : "within noise";
}

static double half_width(const struct stat_diff_row *row)
{
	return change_half_width(&row->change, SPREAD_CONFIDENCE);
}

/* ---- text ---- */

static void put_percents(struct table *table, const struct stat_diff_row *row)
{
	double whole = row->before.mean / 100, half = half_width(row);

	if (!(row->before.mean > 0)) {
		table_cell(table, "%+.6g", row->change.value);
		table_cell(table, "%s", "");
		return;
	}
	table_cell(table, "%+.2f%%", row->change.value / whole);
	if (isfinite(half))
		table_cell(table, "[%+.2f%%, %+.2f%%]", (row->change.value - half) / whole,
			   (row->change.value + half) / whole);
	else
		table_cell(table, "unknown");
}

static int diff_as_text(const struct stat_diff_show *show, FILE *out)
{
	static const struct table_column columns[] = {
		RIGHT("before"), RIGHT("after"), RIGHT("change"), RIGHT("[95 % interval]"),
		LEFT(""),	 LEFT("event"),	 LEFT(""),
	};
	struct table table = {
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(columns[0]),
	};
	int rc;

	for (size_t i = 0; i < show->row_count; i++) {
		const struct stat_diff_row *row = &show->rows[i];
		char figure[STAT_FIGURE_MAX];

		stat_figure(row->before.mean, row->unit, figure);
		table_cell(&table, "%s", figure);
		stat_figure(row->after.mean, row->unit, figure);
		table_cell(&table, "%s", figure);
		put_percents(&table, row);
		table_cell(&table, "%s", stat_diff_verdict(row));
		table_name(&table, row->event);
		table_name(&table, row->where);
	}
	rc = table_print(&table, out);
	if (show->unmatched)
		(void)fprintf(out, "counters left out because only one file has them: %zu\n",
			      show->unmatched);
	return rc;
}

/* ---- JSON and CSV ---- */

static void json_side(struct json *json, const char *key, const struct spread *spread)
{
	json_open(json, key, '{');
	json_u64(json, "runs", spread->count);
	json_double(json, "mean", spread->mean);
	json_double(json, "deviation", spread->deviation);
	json_close(json);
}

static void diff_as_json(const struct stat_diff_show *show, FILE *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_u64(&json, "version", FORMAT_VERSION);
	json_string(&json, "before", show->before_path);
	json_string(&json, "after", show->after_path);
	json_u64(&json, "unmatched", show->unmatched);
	json_open(&json, "counters", '[');
	for (size_t i = 0; i < show->row_count; i++) {
		const struct stat_diff_row *row = &show->rows[i];

		json_open(&json, NULL, '{');
		json_string(&json, "event", row->event);
		if (*row->where)
			json_string(&json, "where", row->where);
		json_string(&json, "unit", row->unit);
		json_side(&json, "before", &row->before);
		json_side(&json, "after", &row->after);
		json_double(&json, "change", row->change.value);
		json_double(&json, "low", row->change.value - half_width(row));
		json_double(&json, "high", row->change.value + half_width(row));
		json_double(&json, "p", row->p);
		json_double(&json, "p_adjusted", row->p_adjusted);
		json_string(&json, "verdict", stat_diff_verdict(row));
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
}

static void csv_number(FILE *out, double number)
{
	if (isfinite(number))
		(void)fprintf(out, "%.15g", number);
	(void)fputc(',', out);
}

static void diff_as_csv(const struct stat_diff_show *show, FILE *out)
{
	(void)fputs("where,event,unit,before,after,change,low,high,p,p_adjusted,verdict\n", out);
	for (size_t i = 0; i < show->row_count; i++) {
		const struct stat_diff_row *row = &show->rows[i];

		escape_csv(out, row->where);
		(void)fputc(',', out);
		escape_csv(out, row->event);
		(void)fputc(',', out);
		escape_csv(out, row->unit);
		(void)fputc(',', out);
		csv_number(out, row->before.mean);
		csv_number(out, row->after.mean);
		csv_number(out, row->change.value);
		csv_number(out, row->change.value - half_width(row));
		csv_number(out, row->change.value + half_width(row));
		csv_number(out, row->p);
		csv_number(out, row->p_adjusted);
		(void)fprintf(out, "%s\n", stat_diff_verdict(row));
	}
}

int stat_diff_print(const struct stat_diff_show *show, enum stat_format format, FILE *out)
{
	if (format == STAT_TEXT)
		return diff_as_text(show, out);
	if (format == STAT_JSON)
		diff_as_json(show, out);
	else
		diff_as_csv(show, out);
	return 0;
}
