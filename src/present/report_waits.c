/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/report_waits.h"

#include <errno.h>
#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "present/escape.h"
#include "present/json.h"
#include "present/table.h"
#include "present/text.h"
#include "present/losses.h"

#define ROWS_IN_TEXT 10
#define CHILDREN_IN_TEXT 2
#define CHILD_SHARE 0.05	/* of its parent's time; smaller ones are not shown in text */
#define FIGURES_COLUMNS 38
#define INDENT_COLUMNS 2	/* for each level */

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_SEC;
}

static double share(uint64_t part_ns, uint64_t whole_ns)
{
	return whole_ns ? (double)part_ns / (double)whole_ns : 0;
}

/* ---- places ---- */

static const char *frame_name(const struct wait_chains *chains, uint64_t frame,
			      char scratch[static GROUP_IMAGE_NAME_MAX])
{
	const struct profile names = { .model = chains->model };

	return call_frame_name(&names, frame, scratch);
}

static const char *comm_of(const struct wait_chains *chains, const struct wait_place *place)
{
	return wait_place_is_interrupt(place) ? "an interrupt"
					      : string_of(chains->model, place->comm);
}

/* Returns "futex_wait < pthread_mutex_lock < work", which the caller frees, or NULL. */
static char *frames_text(const struct wait_chains *chains, const struct wait_place *place)
{
	char scratch[GROUP_IMAGE_NAME_MAX], *text = NULL;
	size_t size_bytes;
	FILE *out = open_memstream(&text, &size_bytes);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < place->frame_count; i++)
		(void)fprintf(out, "%s%s", i ? " < " : "",
			      frame_name(chains, place->frames[i], scratch));
	if (!place->frame_count)
		(void)fputs("an unknown place", out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* ---- text ---- */

/* Prints "BEFORE thread BETWEEN frames", such as "woken by writer from futex_wake < unlock". */
struct phrase {
	const char *before, *between;
};

static int put_place(const struct wait_chains *chains, const struct wait_place *place,
		     const struct phrase *phrase, size_t indent, const struct report_style *style,
		     FILE *out)
{
	size_t width = style->columns ? style->columns : TEXT_COLUMNS;
	_cleanup_free_ char *frames = frames_text(chains, place);
	_cleanup_free_ char *line = NULL;

	if (!frames || asprintf(&line, "%s%s %s %s", phrase->before, comm_of(chains, place),
				phrase->between, frames) < 0)
		return -ENOMEM;
	wrap_text(out, line, indent,
		  width > indent + TEXT_COLUMNS / 2 ? width : indent + TEXT_COLUMNS / 2);
	(void)fputc('\n', out);
	return 0;
}

static int put_row(const struct wait_chains *chains, const struct wait_row *row,
		   const struct report_style *style, FILE *out)
{
	size_t indent = FIGURES_COLUMNS + (row->depth - 1) * INDENT_COLUMNS;
	const struct phrase waited = { row->depth > 1 ? "meanwhile " : "", "waited in" };
	const struct phrase woken = { "woken by ", "from" };
	int rc;

	(void)fprintf(out, "%9.4f  %6.2f%%  %6" PRIu64 "  %8.4f%*s", seconds(row->ns),
		      100 * share(row->ns, chains->rows.at[0].ns), row->waits,
		      seconds(row->longest_ns), (int)indent - (FIGURES_COLUMNS - 2), "");
	rc = put_place(chains, &chains->places.at[row->waiter], &waited, indent, style, out);
	if (rc < 0)
		return rc;
	if (!chains->has_wakers)
		return 0;
	(void)fprintf(out, "%*s", (int)indent, "");
	if (row->waker)
		return put_place(chains, &chains->places.at[row->waker], &woken, indent, style,
				 out);
	(void)fputs("woken by an unknown thread\n", out);
	return 0;
}

static int put_rows(const struct wait_chains *chains, uint32_t parent, size_t most,
		    const struct report_style *style, FILE *out)
{
	size_t count;
	const uint32_t *rows = wait_chains_children(chains, parent, &count);
	uint64_t whole_ns = chains->rows.at[parent].ns;

	for (size_t i = 0; i < count && (i < most || !most); i++) {
		const struct wait_row *row = &chains->rows.at[rows[i]];
		int rc;

		if (parent && share(row->ns, whole_ns) < CHILD_SHARE)
			break;
		rc = put_row(chains, row, style, out);
		if (rc < 0)
			return rc;
		rc = put_rows(chains, rows[i], CHILDREN_IN_TEXT, style, out);
		if (rc < 0)
			return rc;
	}
	if (!parent && most && count > most)
		(void)fprintf(out, "  ... %zu more rows (%s 0 shows all)\n", count - most,
			      style->settings->limit);
	return 0;
}

static void put_heading(const struct wait_chains *chains, const struct report_style *style,
			FILE *out)
{
	const struct wait_row *total = &chains->rows.at[0];
	size_t width = style->columns ? style->columns : TEXT_COLUMNS;
	char line[512];

	(void)snprintf(line, sizeof(line),
		       "%" PRIu64 " thread%s blocked for %.4f s in %" PRIu64
		       " waits. Each entry shows where threads waited and from where they were "
		       "woken, innermost function first. Below it is what the waker itself waited "
		       "for during these waits. Times are measured.%s",
		       chains->threads, chains->threads == 1 ? " was" : "s were",
		       seconds(total->ns), total->waits,
		       chains->cut ? " There are too many waits, so some are missing." : "");
	wrap_text(out, line, 0, width);
	(void)fprintf(out, "\n%9s  %7s  %6s  %8s\n", "seconds", "share", "waits", "longest");
}

int waits_as_text(const struct wait_chains *chains, const struct report_style *style, FILE *out)
{
	size_t most = style->limit && (!style->brief || style->limit < ROWS_IN_TEXT) ? style->limit
										     : ROWS_IN_TEXT;

	if (!style->brief && !style->limit)
		most = 0;
	put_heading(chains, style, out);
	return put_rows(chains, 0, most, style, out);
}

/* ---- JSON ---- */

static void json_place(struct json *json, const char *key, const struct wait_chains *chains,
		       const struct wait_place *place)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	json_open(json, key, '{');
	json_bool(json, "interrupt", wait_place_is_interrupt(place));
	if (!wait_place_is_interrupt(place))
		json_string(json, "comm", string_of(chains->model, place->comm));
	json_open(json, "frames", '[');
	for (uint32_t i = 0; i < place->frame_count; i++)
		json_string(json, NULL, frame_name(chains, place->frames[i], scratch));
	json_close(json);
	json_close(json);
}

/* The depth of rows is limited (WAIT_CHAIN_DEPTH_MAX), and so is the recursion. */
static void json_rows(struct json *json, const char *key, const struct wait_chains *chains,
		      uint32_t parent, size_t most)
{
	size_t count;
	const uint32_t *rows = wait_chains_children(chains, parent, &count);

	json_open(json, key, '[');
	for (size_t i = 0; i < count && (i < most || !most); i++) {
		const struct wait_row *row = &chains->rows.at[rows[i]];

		json_open(json, NULL, '{');
		json_double(json, "seconds", seconds(row->ns));
		json_double(json, "share", share(row->ns, chains->rows.at[0].ns));
		json_u64(json, "waits", row->waits);
		json_double(json, "longest_seconds", seconds(row->longest_ns));
		json_place(json, "waiter", chains, &chains->places.at[row->waiter]);
		if (row->waker)
			json_place(json, "waker", chains, &chains->places.at[row->waker]);
		json_rows(json, "meanwhile", chains, rows[i], 0);
		json_close(json);
	}
	json_close(json);
}

void waits_json_members(struct json *json, const struct wait_chains *chains, size_t most)
{
	json_open(json, "waits", '{');
	json_u64(json, "threads", chains->threads);
	json_u64(json, "waits", chains->rows.at[0].waits);
	json_double(json, "seconds", seconds(chains->rows.at[0].ns));
	json_bool(json, "complete", !chains->cut);
	json_rows(json, "rows", chains, 0, most);
	json_close(json);
}

int waits_as_json(const struct wait_chains *chains, const struct report_style *style, FILE *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_u64(&json, "version", 1);
	losses_json(&json, LOSSES_KEY, chains->model);
	json_u64(&json, "threads", chains->threads);
	json_u64(&json, "waits", chains->rows.at[0].waits);
	json_double(&json, "seconds", seconds(chains->rows.at[0].ns));
	json_bool(&json, "complete", !chains->cut);
	json_rows(&json, "rows", chains, 0, style->limit);
	json_close(&json);
	return 0;
}

/* ---- CSV ---- */

static int csv_place(const struct wait_chains *chains, uint32_t id, FILE *out)
{
	const struct wait_place *place = &chains->places.at[id];
	_cleanup_free_ char *frames = frames_text(chains, place);

	if (!frames)
		return -ENOMEM;
	(void)fputc(',', out);
	escape_csv(out, id ? comm_of(chains, place) : "");
	(void)fputc(',', out);
	escape_csv(out, id ? frames : "");
	return 0;
}

int waits_as_csv(const struct wait_chains *chains, const struct report_style *style, FILE *out)
{
	(void)fputs("row,parent,seconds,waits,longest_seconds,waiter,waiter_frames,waker,"
		    "waker_frames\r\n",
		    out);
	for (size_t i = 0; i < chains->order.count && (i < style->limit || !style->limit); i++) {
		const struct wait_row *row = &chains->rows.at[chains->order.at[i]];

		(void)fprintf(out, "%" PRIu32 ",%" PRIu32 ",%.9f,%" PRIu64 ",%.9f",
			      chains->order.at[i], row->parent, seconds(row->ns), row->waits,
			      seconds(row->longest_ns));
		if (csv_place(chains, row->waiter, out) < 0 ||
		    csv_place(chains, row->waker, out) < 0)
			return -ENOMEM;
		(void)fputs("\r\n", out);
	}
	return 0;
}
