/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/source_view.h"

#include <inttypes.h>

#include "analyze/lookup.h"
#include "analyze/rows_choose.h"
#include "base/cleanup.h"
#include "present/escape.h"
#include "present/json.h"
#include "present/share.h"
#include "present/table.h"
#include "present/text.h"
#include "present/losses.h"

/* A source file, and the choice of its lines to show. */
struct shown_file {
	const struct source_views *views;
	const struct source_view *view;
	const struct source_text *text;
	const char *path;
	bool *rows;
	bool by_weight;
};

/*
 * Returns the index of the row for @line or, if there is none, of the nearest line. Rows are sorted
 * by line.
 */
static size_t row_nearest(const struct source_view *view, uint32_t line)
{
	size_t at = 0;

	while (at + 1 < view->rows.count && view->rows.at[at].line < line)
		at++;
	if (at && view->rows.at[at].line > line &&
	    line - view->rows.at[at - 1].line < view->rows.at[at].line - line)
		at--;
	return at;
}

typedef void (*row_fn)(const struct shown_file *file, const struct source_row *row, void *context);

static int shown_file_init(const struct source_views *views, size_t at,
			   const struct source_style *style, struct shown_file *file)
{
	const struct source_view *view = &views->list.at[at];
	_cleanup_free_ uint64_t *ranks = calloc(view->rows.count + 1, sizeof(*ranks));

	*file = (struct shown_file){
		.views = views,
		.view = view,
		.text = source_of(style->sources, view->file),
		.path = string_of(views->profile->model, view->file),
		.by_weight = source_views_by_weight(views),
	};
	if (!ranks)
		return -ENOMEM;
	for (size_t i = 0; i < view->rows.count; i++)
		ranks[i] = count_rank(&view->rows.at[i].count, file->by_weight) & ~ROW_ASKED;
	if (style->line && view->rows.count)
		ranks[row_nearest(view, style->line)] |= ROW_ASKED;
	return rows_choose(ranks, view->rows.count, style->limit, &file->rows);
}

static void shown_file_fini(struct shown_file *file)
{
	free(file->rows);
}

static size_t file_count(const struct source_views *views, const struct source_style *style)
{
	return style->files && style->files < views->list.count ? style->files : views->list.count;
}

static void each_row(const struct shown_file *file, row_fn visit, void *context)
{
	for (size_t i = 0; i < file->view->rows.count; i++)
		if (file->rows[i])
			visit(file, &file->view->rows.at[i], context);
}

/* ---- text ---- */

#define NARROW_COLUMNS 110	/* same limit as in annotate_text.c */

struct text_rows_state {
	struct table *table;
	uint32_t next;		/* line number expected next; any other number means a gap */
	/* true if the terminal is narrow; each line's share of all samples is then omitted */
	bool narrow;
};

static void text_row(const struct shown_file *file, const struct source_row *row, void *context)
{
	struct text_rows_state *state = context;
	const struct group_row marked = { .count = row->count, .late_samples = row->late_samples };
	const struct figures figures = { .count = &row->count,
					 .total = &file->views->total,
					 .by_weight = file->by_weight };
	const struct figures of_all = { .count = &row->count,
					.total = &file->views->all,
					.by_weight = file->by_weight };
	char line[SOURCE_LINE_MAX];

	if (state->next && row->line != state->next)
		table_span(state->table, "...", false);
	state->next = row->line + 1;
	if (row->count.samples) {
		table_cell(state->table, "%" PRIu64, row->count.samples);
		cells_share(state->table, &figures);
		if (!state->narrow)
			cells_share(state->table, &of_all);
		table_cell(state->table, "%s", mark_row(&marked, file->by_weight));
	} else {
		for (int i = state->narrow ? 2 : 0; i < 6; i++)
			table_cell(state->table, "%s", "");
	}
	table_cell(state->table, "%" PRIu32, row->line);
	(void)source_line(file->text, row->line, line);
	table_name(state->table, line);
}

static void text_heading(const struct shown_file *file, FILE *out)
{
	const struct source_view *view = file->view;
	const struct source_text *text = file->text;

	escape_text(out, file->path);
	(void)fprintf(out, "\n  %" PRIu64 " samples, ", view->count.samples);
	share_text(&(struct share){ &view->count, &file->views->all, file->by_weight }, out);
	(void)fprintf(out, " of %" PRIu64 "\n", file->views->all.samples);
	if (text && !text->bytes)
		(void)fprintf(out, "  The source is not available: %s.\n", text->why);
	else if (text && view->mtime_ns && text->mtime_ns > view->mtime_ns)
		(void)fputs("  The file was changed after the program was built.\n", out);
	if (text && text->bytes && view->rows.at[view->rows.count - 1].line > text->starts.count)
		(void)fprintf(out,
			      "  The file has only %zu lines now, fewer than when the program "
			      "was built.\n",
			      text->starts.count);
}

static int text_file(const struct source_views *views, size_t at, const struct source_style *style,
		     FILE *out)
{
	static const struct table_column wide[] = {
		RIGHT("hits"),		RIGHT("of asked"),
		RIGHT("95 % interval"), RIGHT("of all"),
		RIGHT("95 % interval"), LEFT(""),
		RIGHT("line"),		{ .title = "source", .left = true, .code = true },
	};
	static const struct table_column narrow[] = {
		RIGHT("hits"), RIGHT("of asked"), RIGHT("95 % interval"),
		LEFT(""),      RIGHT("line"),	  { .title = "source", .left = true, .code = true },
	};
	bool is_narrow = style->columns && style->columns < NARROW_COLUMNS;
	struct table table = { .columns = is_narrow ? narrow : wide,
			       .column_count = is_narrow ? 6 : 8,
			       .width = style->columns };
	struct text_rows_state state = { .table = &table, .narrow = is_narrow };
	_cleanup_(shown_file_fini) struct shown_file file = { 0 };
	int rc = shown_file_init(views, at, style, &file);

	if (rc < 0)
		return rc;
	if (at)
		(void)fputc('\n', out);
	text_heading(&file, out);
	each_row(&file, text_row, &state);
	return table_print(&table, out);
}

int source_views_as_text(const struct source_views *views, const struct source_style *style,
			 FILE *out)
{
	size_t files = file_count(views, style);
	int rc = 0;

	(void)fprintf(out,
		      "%" PRIu64 " samples match the request; \"of asked\" is a line's "
		      "share of them.\nEach sample counts only at its innermost "
		      "source line.\n",
		      views->total.samples);
	if (views->no_line.samples)
		(void)fprintf(out,
			      "The source line of %" PRIu64 " of these samples is not known.\n",
			      views->no_line.samples);
	(void)fputs("!: most samples are late, delayed by code with interrupts off.\n~: fewer "
		    "than 10 samples.\n\n",
		    out);
	for (size_t i = 0; i < files; i++) {
		rc = text_file(views, i, style, out);
		if (rc < 0)
			break;
	}
	if (files < views->list.count)
		(void)fprintf(out, "\n... and %zu more files (%s=N shows more)\n",
			      views->list.count - files, style->settings->files);
	return rc;
}

/* ---- JSON ---- */

static void json_share(struct json *json, const char *key, const struct shown_file *file,
		       const struct count *part, const struct count *whole)
{
	json_open(json, key, '{');
	share_json(&(struct share){ part, whole, file->by_weight }, json);
	json_close(json);
}

static void json_row(const struct shown_file *file, const struct source_row *row, void *context)
{
	struct json *json = context;
	char line[SOURCE_LINE_MAX];

	json_open(json, NULL, '{');
	json_u64(json, "line", row->line);
	if (source_line(file->text, row->line, line))
		json_string(json, "source", line);
	json_u64(json, "samples", row->count.samples);
	json_u64(json, "late_samples", row->late_samples);
	json_u64(json, "weight", row->count.weight);
	json_share(json, "of_asked", file, &row->count, &file->views->total);
	json_share(json, "of_all", file, &row->count, &file->views->all);
	json_close(json);
}

static int json_file(struct json *json, const struct source_views *views, size_t at,
		     const struct source_style *style)
{
	_cleanup_(shown_file_fini) struct shown_file file = { 0 };
	int rc = shown_file_init(views, at, style, &file);

	if (rc < 0)
		return rc;
	json_open(json, NULL, '{');
	json_string(json, "file", file.path);
	if (file.text && !file.text->bytes)
		json_string(json, "not_here", file.text->why);
	json_u64(json, "samples", file.view->count.samples);
	json_open(json, "lines", '[');
	each_row(&file, json_row, json);
	json_close(json);
	json_close(json);
	return 0;
}

int source_views_as_json(const struct source_views *views, const struct source_style *style,
			 FILE *out)
{
	const struct model *model = views->profile->model;
	struct json json = { .out = out };
	int rc = 0;

	json_open(&json, NULL, '{');
	json_u64(&json, "version", 1);
	losses_json(&json, LOSSES_KEY, model);
	json_string(&json, "event",
		    string_of(model, LOOKUP(&model->events, views->selection->event)->name));
	json_u64(&json, "samples", views->total.samples);
	json_u64(&json, "all_samples", views->all.samples);
	json_u64(&json, "no_line_samples", views->no_line.samples);
	json_open(&json, "files", '[');
	for (size_t i = 0; i < file_count(views, style); i++) {
		rc = json_file(&json, views, i, style);
		if (rc < 0)
			break;
	}
	json_close(&json);
	json_close(&json);
	return rc;
}

/* ---- CSV ---- */

static void csv_share(const struct shown_file *file, const struct count *part,
		      const struct count *whole, FILE *out)
{
	share_csv(&(struct share){ part, whole, file->by_weight }, out);
}

static void csv_row(const struct shown_file *file, const struct source_row *row, void *context)
{
	FILE *out = context;
	char line[SOURCE_LINE_MAX];

	escape_csv(out, file->path);
	(void)fprintf(out, ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->line,
		      row->count.samples, row->late_samples, row->count.weight);
	csv_share(file, &row->count, &file->views->total, out);
	csv_share(file, &row->count, &file->views->all, out);
	(void)fputc(',', out);
	(void)source_line(file->text, row->line, line);
	escape_csv(out, line);
	(void)fputs("\r\n", out);
}

int source_views_as_csv(const struct source_views *views, const struct source_style *style,
			FILE *out)
{
	(void)fputs("file,line,samples,late_samples,weight,share,low,high,all_share,all_low,"
		    "all_high,source\r\n",
		    out);
	for (size_t i = 0; i < file_count(views, style); i++) {
		_cleanup_(shown_file_fini) struct shown_file file = { 0 };
		int rc = shown_file_init(views, i, style, &file);

		if (rc < 0)
			return rc;
		each_row(&file, csv_row, out);
	}
	return 0;
}
