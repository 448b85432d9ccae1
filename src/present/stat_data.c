/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints counters for programs: JSON and CSV. */
#include <math.h>
#include <string.h>

#include "present/escape.h"
#include "present/stat.h"

#define FORMAT_VERSION 1
#define EXACT_MAX 9007199254740992.0	/* 2^53; below this, a double is exact for whole numbers */

static const char *const ratio_units[] = {
	[RATIO_PLAIN] = "",
	[RATIO_PERCENT] = "percent",
	[RATIO_PER_SECOND] = "per second",
	[RATIO_GHZ] = "GHz",
};

static const char *unit_of(const struct stat_show *show, size_t kind)
{
	return counter_kind_unit(&show->table->kinds[kind]);
}

/* ---- JSON ---- */

/*
 * Prints a whole number with all its digits. Counts are whole numbers and may have more digits than
 * json_double() prints.
 */
static void json_number(struct json *json, const char *key, double number)
{
	if (fabs(number) < EXACT_MAX && number == rint(number))
		json_i64(json, key, (int64_t)number);
	else
		json_double(json, key, number);
}

static void json_spread(struct json *json, const struct spread *spread)
{
	json_number(json, "mean", spread->mean);
	if (spread->count < 2)
		return;
	json_double(json, "deviation", spread->deviation);
	json_double(json, "low", spread->mean - spread->half_width);
	json_double(json, "high", spread->mean + spread->half_width);
}

static int json_counter(struct json *json, const struct stat_show *show, size_t place, size_t kind)
{
	const struct counter_table *table = show->table;
	struct counter_row row;
	int rc = counter_table_row(table, place, kind, &row);

	if (rc < 0)
		return rc;
	json_open(json, NULL, '{');
	json_string(json, "event", show->events[kind]);
	if (show->places && kind < table->event_count)
		json_string(json, "where", show->places[place]);
	json_string(json, "unit", unit_of(show, kind));
	json_spread(json, &row.spread);
	json_double(json, "counted_share", row.counted_share);
	json_bool(json, "scaled", row.scaled);
	json_bool(json, "partial", row.partial);
	json_open(json, "values", '[');
	for (size_t run = 0; run < table->run_count; run++)
		json_number(json, NULL, counter_table_value(table, run, place, kind)->value);
	json_close(json);
	if (row.has_ratio) {
		json_open(json, "ratio", '{');
		json_string(json, "name", row.ratio.name);
		json_string(json, "unit", ratio_units[row.ratio.unit]);
		json_string(json, "by", show->events[row.ratio.by]);
		json_spread(json, &row.ratio_spread);
		json_close(json);
	}
	json_close(json);
	return 0;
}

static int json_counters(struct json *json, const struct stat_show *show)
{
	for (size_t place = 0; place < show->table->place_count; place++)
		for (size_t kind = 0; kind < show->table->kind_count; kind++) {
			int rc;

			if (!stat_shows(show, place, kind))
				continue;
			rc = json_counter(json, show, place, kind);
			if (rc < 0)
				return rc;
		}
	return 0;
}

static int json_result(struct stat_print *print, const struct stat_show *show)
{
	struct json *json = &print->json;
	int rc;

	json_open(json, NULL, '{');
	if (print->intervals)
		json_double(json, "time", show->time_seconds);
	else
		json_u64(json, "runs", show->table->run_count);
	json_open(json, "counters", '[');
	rc = json_counters(json, show);
	json_close(json);
	json_close(json);
	return rc;
}

static void json_begin(struct stat_print *print)
{
	struct json *json = &print->json;

	json_open(json, NULL, '{');
	json_u64(json, "version", FORMAT_VERSION);
	if (print->command)
		json_string(json, "command", print->command);
	json_string(json, "target", print->target);
	json_bool(json, "user_only", print->user_only);
	json_open(json, "results", '[');
}

/* ---- CSV ---- */

static void csv_number(FILE *out, double number)
{
	if (isfinite(number))
		(void)fprintf(out, "%.15g", number);
	(void)fputc(',', out);
}

static int csv_counter(const struct stat_print *print, const struct stat_show *show, size_t place,
		       size_t kind)
{
	FILE *out = print->out;
	struct counter_row row;
	int rc = counter_table_row(show->table, place, kind, &row);

	if (rc < 0)
		return rc;
	csv_number(out, print->intervals ? show->time_seconds : NAN);
	if (show->places && kind < show->table->event_count)
		escape_csv(out, show->places[place]);
	(void)fputc(',', out);
	escape_csv(out, show->events[kind]);
	(void)fputc(',', out);
	escape_csv(out, unit_of(show, kind));
	(void)fprintf(out, ",%zu,", show->table->run_count);
	csv_number(out, row.spread.mean);
	csv_number(out, row.spread.deviation);
	csv_number(out, row.spread.mean - row.spread.half_width);
	csv_number(out, row.spread.mean + row.spread.half_width);
	csv_number(out, row.counted_share);
	csv_number(out, row.has_ratio ? row.ratio_spread.mean : NAN);
	(void)fprintf(out, "%s,%s,%d,%d\n", row.has_ratio ? row.ratio.name : "",
		      row.has_ratio ? ratio_units[row.ratio.unit] : "", row.scaled, row.partial);
	return 0;
}

static int csv_result(const struct stat_print *print, const struct stat_show *show)
{
	for (size_t place = 0; place < show->table->place_count; place++)
		for (size_t kind = 0; kind < show->table->kind_count; kind++) {
			int rc;

			if (!stat_shows(show, place, kind))
				continue;
			rc = csv_counter(print, show, place, kind);
			if (rc < 0)
				return rc;
		}
	return 0;
}

/* ---- all formats ---- */

void stat_begin(struct stat_print *print, FILE *out)
{
	print->out = out;
	print->json = (struct json){ .out = out };
	if (print->format == STAT_JSON)
		json_begin(print);
	else if (print->format == STAT_CSV)
		(void)fputs(
			"time,where,event,unit,runs,mean,deviation,low,high,counted_share,ratio,"
			"ratio_name,ratio_unit,scaled,partial\n",
			out);
}

int stat_print(struct stat_print *print, const struct stat_show *show)
{
	int rc;

	switch (print->format) {
	case STAT_JSON:
		rc = json_result(print, show);
		break;
	case STAT_CSV:
		rc = csv_result(print, show);
		break;
	default:
		rc = print->intervals ? stat_interval_as_text(show, print->out)
				      : stat_as_text(show, print->out);
		break;
	}
	if (print->intervals)
		(void)fflush(print->out);
	return rc;
}

void stat_end(struct stat_print *print)
{
	if (print->format != STAT_JSON)
		return;
	json_close(&print->json);
	json_close(&print->json);
}
