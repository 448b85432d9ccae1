/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the callers and callees of functions, each with its part of the function's total. The
 * parts of all callers add up to the function's total. The function's own part (self) and the parts
 * of all callees also add up to the function's total (analyze/call_flow.h).
 */
#include <inttypes.h>

#include "base/cleanup.h"
#include "present/call_row.h"
#include "present/escape.h"
#include "present/function_note.h"
#include "present/row_json.h"
#include "present/share.h"
#include "present/text.h"

struct peek {
	struct call_print print;
	const struct call_graph *graph;
	const struct call_vertex *at;	/* the function whose callers and callees are printed */
	uint32_t vertex;
};

enum role { ROLE_CALLER, ROLE_RECURSIVE, ROLE_SELF, ROLE_CALLEE };

static const char *const role_names[] = {
	[ROLE_CALLER] = "caller",
	[ROLE_RECURSIVE] = "recursive",
	[ROLE_SELF] = "self",
	[ROLE_CALLEE] = "callee",
};

typedef void (*put_fn)(struct peek *peek, enum role role, const struct call_line *line,
		       void *context);

/*
 * Calls @put for each caller or callee (according to @role), within the style's limits. Skips
 * callers and callees without samples. These are calls inside a recursion, and their samples are
 * counted at the outermost call. Returns the number of callers or callees that were left out
 * because of the limits.
 */
static size_t each_line(struct peek *peek, enum role role, put_fn put, void *context)
{
	const struct call_vertex *at = peek->at;
	const struct call_style *style = peek->print.style;
	uint32_t first = role == ROLE_CALLER ? at->callers : at->callees;
	uint32_t count = role == ROLE_CALLER ? at->caller_count : at->callee_count;
	double least = ceil(style->min_share * (double)call_graph_rank(peek->graph, &at->total));
	size_t hidden = 0, shown = 0;

	for (uint32_t i = first; i < first + count; i++) {
		const struct call_line *line = &peek->graph->lines.at[i];

		if (!line->total.samples)
			continue;
		if ((double)call_graph_rank(peek->graph, &line->total) < least ||
		    (style->limit && shown >= style->limit)) {
			hidden++;
			continue;
		}
		put(peek, role, line, context);
		shown++;
	}
	return hidden;
}

/*
 * Calls @put for each row of a function: its callers, its recursive calls, the function itself, and
 * its callees. Returns the number of rows that were left out because of the limits.
 */
static size_t each_row(struct peek *peek, put_fn put, void *context)
{
	const struct call_vertex *at = peek->at;
	size_t hidden = each_line(peek, ROLE_CALLER, put, context);

	if (at->recursive.samples)
		put(peek, ROLE_RECURSIVE,
		    &(struct call_line){ peek->vertex, at->recursive, at->recursive }, context);
	put(peek, ROLE_SELF, &(struct call_line){ peek->vertex, at->self, at->self }, context);
	return hidden + each_line(peek, ROLE_CALLEE, put, context);
}

/* ---- text ---- */

static void text_row(struct peek *peek, enum role role, const struct call_line *line, void *context)
{
	struct table *table = context;

	table_cell(table, "%s", role_names[role]);
	call_share_cells(table, &peek->print, &line->total, &peek->at->total);
	table_cell(table, "%" PRIu64, line->total.samples);
	table_mark(table, call_mark(&peek->print, &line->total));
	call_vertex_image_cell(table, peek->graph, line->vertex);
	call_vertex_cell(table, peek->graph, line->vertex, "", 0);
}

static void text_title_of(const struct peek *peek)
{
	const struct call_print *print = &peek->print;
	char scratch[GROUP_IMAGE_NAME_MAX];

	(void)fputc('\n', print->out);
	escape_text(print->out, call_vertex_name(peek->graph, peek->vertex, scratch));
	(void)fputs(call_frame_mark(peek->at->frame), print->out);
	put_function_note(print->out, print->profile, peek->at->frame);
	(void)fprintf(print->out, ": %" PRIu64 " samples, ", peek->at->total.samples);
	share_text(&(struct share){ &peek->at->total, print->total, print->tree->by_weight },
		   print->out);
	(void)fputs(" of all\n", print->out);
}

static int text_function(struct peek *peek)
{
	static const struct table_column columns[] = {
		LEFT(""), RIGHT("of its total"),	RIGHT("95 % interval"), RIGHT("hits"),
		LEFT(""), PATH("image", IMAGE_COLUMNS), LEFT("function"),
	};
	struct table table = { .columns = columns,
			       .column_count = 7,
			       .width = peek->print.style->columns };
	size_t hidden = each_row(peek, text_row, &table);
	int rc;

	text_title_of(peek);
	rc = table_print(&table, peek->print.out);
	call_rest(&peek->print, 0, hidden, "callers and callees");
	return rc;
}

/* ---- JSON ---- */

static void json_row(struct peek *peek, enum role role, const struct call_line *line, void *context)
{
	struct json *json = &peek->print.json;

	(void)context;
	json_open(json, NULL, '{');
	json_string(json, "role", role_names[role]);
	call_json_vertex(&peek->print, peek->graph, line->vertex);
	json_figures(json, &line->total, &peek->at->total, peek->print.event);
	json_close(json);
}

static int json_function(struct peek *peek)
{
	struct json *json = &peek->print.json;

	json_open(json, NULL, '{');
	call_json_vertex(&peek->print, peek->graph, peek->vertex);
	call_json_count(&peek->print, "self", &peek->at->self, peek->print.total);
	call_json_count(&peek->print, "total", &peek->at->total, peek->print.total);
	json_open(json, "rows", '[');
	(void)each_row(peek, json_row, NULL);
	json_close(json);
	json_close(json);
	return 0;
}

/* ---- CSV ---- */

static void csv_row(struct peek *peek, enum role role, const struct call_line *line, void *context)
{
	const struct call_print *print = &peek->print;

	(void)context;
	call_csv_vertex(print, peek->graph, peek->vertex);
	(void)fprintf(print->out, "%s,", role_names[role]);
	call_csv_vertex(print, peek->graph, line->vertex);
	call_csv_event(print);
	call_csv_count(print, &line->total, &peek->at->total);
	(void)fputs("\r\n", print->out);
}

static int csv_function(struct peek *peek)
{
	(void)each_row(peek, csv_row, NULL);
	return 0;
}

/* ---- all functions ---- */

static void begin(struct call_print *print)
{
	if (print->style->format == REPORT_TEXT) {
		call_heading(print, "each sample counts for one caller and one callee, even in "
				    "a recursion");
	} else if (print->style->format == REPORT_JSON) {
		call_json_begin(print);
		json_open(&print->json, "functions", '[');
	} else {
		call_csv_titles(print, "function", "");
		(void)fputs("role,", print->out);
		call_csv_titles(print, "other", "other_");
		(void)fputs("event" CALL_CSV_COLUMNS("") "\r\n", print->out);
	}
}

int call_peek_print(const struct call_graph *graph, const uint32_t *vertices, size_t count,
		    const struct call_style *style, FILE *out)
{
	static int (*const printers[])(struct peek *) = {
		[REPORT_TEXT] = text_function,
		[REPORT_JSON] = json_function,
		[REPORT_CSV] = csv_function,
	};
	struct peek peek = { .print = call_print_of(graph->tree, style, out), .graph = graph };
	int rc = 0;

	begin(&peek.print);
	for (size_t i = 0; i < count; i++) {
		peek.vertex = vertices[i];
		peek.at = &graph->vertices.at[vertices[i]];
		rc = printers[style->format](&peek);
		if (rc < 0)
			break;
	}
	while (peek.print.json.depth)
		json_close(&peek.print.json);
	return rc;
}
