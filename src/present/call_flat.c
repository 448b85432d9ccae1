/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints one table of functions with their totals. The total of a function includes its callees. */
#include "base/cleanup.h"
#include "present/call_row.h"
#include "present/row_json.h"
#include "present/text.h"

static bool is_shown(const struct call_print *print, const struct call_graph *graph,
		     uint32_t vertex)
{
	const struct call_vertex *at = &graph->vertices.at[vertex];

	return at->kind == CALL_FUNCTION && call_graph_rank(graph, &at->total) >= print->min_rank;
}

static void put_line(struct table *table, const struct call_print *print,
		     const struct call_graph *graph, uint32_t vertex)
{
	const struct call_vertex *at = &graph->vertices.at[vertex];

	call_share_cells(table, print, &at->total, print->total);
	call_share_cells(table, print, &at->self, print->total);
	table_mark(table, call_mark(print, &at->total));
	call_image_cell(table, print->profile, at->frame);
	call_vertex_cell(table, graph, vertex, "", 0);
}

static int print_text(struct call_print *print, const struct call_graph *graph,
		      const uint32_t *vertices, size_t count)
{
	static const struct table_column columns[] = {
		RIGHT("total"),	  RIGHT("95 % interval"),
		RIGHT("self"),	  RIGHT("95 % interval"),
		LEFT(""),	  PATH("image", IMAGE_COLUMNS),
		LEFT("function"),
	};
	struct table table = { .columns = columns,
			       .column_count = 7,
			       .width = print->style->columns,
			       .palette = print->style->palette };

	for (size_t i = 0; i < count; i++)
		put_line(&table, print, graph, vertices[i]);
	call_heading(print, "total: samples in the function or in functions that it called; "
			    "each sample counts once");
	return table_print(&table, print->out);
}

static int print_json(struct call_print *print, const struct call_graph *graph,
		      const uint32_t *vertices, size_t count)
{
	call_json_begin(print);
	json_open(&print->json, "rows", '[');
	for (size_t i = 0; i < count; i++) {
		const struct call_vertex *at = &graph->vertices.at[vertices[i]];

		json_open(&print->json, NULL, '{');
		call_json_vertex(print, graph, vertices[i]);
		call_json_count(print, "self", &at->self, print->total);
		call_json_count(print, "total", &at->total, print->total);
		call_json_count(print, "recursive", &at->recursive, print->total);
		json_close(&print->json);
	}
	json_close(&print->json);
	json_close(&print->json);
	return 0;
}

static int print_csv(struct call_print *print, const struct call_graph *graph,
		     const uint32_t *vertices, size_t count)
{
	call_csv_titles(print, "function", "");
	(void)fputs("event" CALL_CSV_COLUMNS("self_")
			    CALL_CSV_COLUMNS("total_") ",recursive_samples\r\n",
		    print->out);
	for (size_t i = 0; i < count; i++) {
		const struct call_vertex *at = &graph->vertices.at[vertices[i]];

		call_csv_vertex(print, graph, vertices[i]);
		call_csv_event(print);
		call_csv_count(print, &at->self, print->total);
		call_csv_count(print, &at->total, print->total);
		(void)fprintf(print->out, ",%" PRIu64 "\r\n", at->recursive.samples);
	}
	return 0;
}

int call_flat_print(const struct call_graph *graph, const struct call_style *style, FILE *out)
{
	static int (*const printers[])(struct call_print *, const struct call_graph *,
				       const uint32_t *, size_t) = {
		[REPORT_TEXT] = print_text,
		[REPORT_JSON] = print_json,
		[REPORT_CSV] = print_csv,
	};
	struct call_print print = call_print_of(graph->tree, style, out);
	size_t count = 0, all = 0, shown = 0;
	_cleanup_free_ uint32_t *order = call_graph_order(graph, CALL_BY_TOTAL, &count);
	int rc;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		all += graph->vertices.at[order[i]].kind == CALL_FUNCTION;
		if (is_shown(&print, graph, order[i]) && (!style->limit || shown < style->limit))
			order[shown++] = order[i];
	}
	rc = printers[style->format](&print, graph, order, shown);
	if (style->format == REPORT_TEXT)
		call_rest(&print, shown, all, "functions");
	return rc;
}
