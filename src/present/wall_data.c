/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints wall time for programs. */
#include "present/report_wall.h"

#include <inttypes.h>

#include "base/clock.h"
#include "present/escape.h"
#include "present/row_json.h"
#include "present/losses.h"

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_SEC;
}

static bool is_sampled(int part)
{
	return part < WALL_SAMPLED_COUNT;
}

/* ---- JSON ---- */

static void json_part(struct json *json, const struct wall *wall, const struct wall_row *row,
		      enum wall_part part)
{
	struct interval interval = wall_interval(wall, row, row->count[part]);

	json_open(json, NULL, '{');
	json_string(json, "group", wall_group_name(wall_part_group(part)));
	json_string(json, "part", wall_part_name(part));
	json_double(json, "seconds", seconds(row->ns[part]));
	json_double(json, "share", wall_share(row, row->ns[part]));
	if (is_sampled((int)part)) {
		json_double(json, "low", interval.low);
		json_double(json, "high", interval.high);
		json_u64(json, "samples", row->count[part]);
	} else if (part != WALL_UNOBSERVED) {
		json_u64(json, "waits", row->count[part]);
	}
	json_close(json);
}

static void json_wall_row(struct json *json, const struct wall *wall, const struct wall_row *row)
{
	json_u64(json, "threads", row->threads);
	json_double(json, "wall_seconds", seconds((int64_t)row->wall_ns));
	json_open(json, "parts", '[');
	for (int part = 0; part < WALL_PART_COUNT; part++)
		json_part(json, wall, row, (enum wall_part)part);
	json_close(json);
}

int wall_as_json(const struct model *model, const struct wall *wall,
		 const struct report_style *style, FILE *out)
{
	const struct profile names = { .model = model };
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_u64(&json, "version", 1);
	losses_json(&json, LOSSES_KEY, model);
	json_string(&json, "by", dimension_name(wall->by));
	json_bool(&json, "off_cpu", wall->min_ns != 0);
	json_double(&json, "min_wait_seconds", seconds((int64_t)wall->min_ns));
	json_string(&json, "missing", wall->missing ? wall->missing : "");
	json_open(&json, "total", '{');
	json_wall_row(&json, wall, &wall->total);
	json_close(&json);
	json_open(&json, "rows", '[');
	for (size_t i = 0; i < wall_rows_shown(wall, style); i++) {
		json_open(&json, NULL, '{');
		json_label(&json, &names, wall->by, wall->rows.at[i].id);
		json_wall_row(&json, wall, &wall->rows.at[i]);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
	return 0;
}

/* ---- CSV ---- */

static void csv_part(const struct wall *wall, const struct wall_row *row, enum wall_part part,
		     FILE *out)
{
	struct interval interval = wall_interval(wall, row, row->count[part]);

	(void)fprintf(out, ",%" PRIu32 ",%.9g,%s,%s,%.9g,%.9g,", row->threads,
		      seconds((int64_t)row->wall_ns), wall_group_name(wall_part_group(part)),
		      wall_part_name(part), seconds(row->ns[part]), wall_share(row, row->ns[part]));
	if (is_sampled((int)part))
		(void)fprintf(out, "%.9g,%.9g", interval.low, interval.high);
	else
		(void)fputc(',', out);
	(void)fprintf(out, ",%" PRIu64 "\r\n", row->count[part]);
}

int wall_as_csv(const struct model *model, const struct wall *wall,
		const struct report_style *style, FILE *out)
{
	const struct profile names = { .model = model };
	char label[REPORT_LABEL_MAX];

	(void)fprintf(out, "%s,threads,wall_seconds,group,part,seconds,share,low,high,count\r\n",
		      dimension_name(wall->by));
	for (size_t i = 0; i < wall_rows_shown(wall, style); i++) {
		group_label(&names, wall->by, wall->rows.at[i].id, label, sizeof(label));
		for (int part = 0; part < WALL_PART_COUNT; part++) {
			escape_csv(out, label);
			csv_part(wall, &wall->rows.at[i], (enum wall_part)part, out);
		}
	}
	return 0;
}
