/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a call graph profile in the style of gprof. Each function and each cycle has an entry,
 * with the callers above it and the callees below it. gprof counts calls, but this profile counts
 * samples. For example, "3/9" at a caller means that 3 of the function's 9 samples came through
 * that caller.
 */
#include <inttypes.h>

#include "base/cleanup.h"
#include "present/call_row.h"
#include "present/row_json.h"
#include "present/text.h"

#define INDENT "    "

struct listing {
	struct call_print print;
	const struct call_graph *graph;
	/* vertices that have an entry; order[i] has the entry number i + 1 */
	uint32_t *order;
	size_t count, shown;
	uint32_t *number;	/* entry number of each vertex; 0: no entry */
};

static void listing_fini(struct listing *listing)
{
	free(listing->order);
	free(listing->number);
}

static int listing_init(struct listing *listing, const struct call_graph *graph)
{
	size_t limit = listing->print.style->limit;

	listing->graph = graph;
	listing->order = call_graph_order(graph, CALL_BY_TOTAL, &listing->count);
	listing->number = calloc(graph->vertices.count, sizeof(uint32_t));
	if (!listing->order || !listing->number)
		return -ENOMEM;
	for (uint32_t i = 0; i < listing->count; i++) {
		const struct call_vertex *vertex = &graph->vertices.at[listing->order[i]];

		listing->number[listing->order[i]] = i + 1;
		if (call_graph_rank(graph, &vertex->total) >= listing->print.min_rank &&
		    (!limit || i < limit))
			listing->shown = i + 1;
	}
	return 0;
}

static const struct call_vertex *vertex_at(const struct listing *listing, uint32_t vertex)
{
	return &listing->graph->vertices.at[vertex];
}

/* ---- text ---- */

static struct count children_of(const struct count *self, const struct count *total)
{
	struct count children = *total;

	count_subtract(&children, self);
	return children;
}

static void weight_cells(struct table *table, const struct listing *listing,
			 const struct count *self, const struct count *total)
{
	struct count children = children_of(self, total);

	cell_weight(table, self->weight, listing->print.event->is_time);
	cell_weight(table, children.weight, listing->print.event->is_time);
}

static void label_cell(struct table *table, const struct listing *listing, const char *indent,
		       uint32_t vertex)
{
	call_vertex_cell(table, listing->graph, vertex, indent, listing->number[vertex]);
}

static void put_primary(struct table *table, const struct listing *listing, uint32_t vertex)
{
	const struct call_vertex *at = vertex_at(listing, vertex);

	table_cell(table, "[%" PRIu32 "]", listing->number[vertex]);
	call_share_cells(table, &listing->print, &at->total, listing->print.total);
	weight_cells(table, listing, &at->self, &at->total);
	table_cell(table, "%" PRIu64, at->total.samples);
	table_mark(table, call_mark(&listing->print, &at->total));
	call_vertex_image_cell(table, listing->graph, vertex);
	label_cell(table, listing, "", vertex);
}

/*
 * Prints the line of a caller or callee. In "3/9", 3 is the number of samples of @line, and 9 is
 * that of @whole.
 */
static void put_line(struct table *table, const struct listing *listing,
		     const struct call_line *line, const struct count *whole)
{
	table_cell(table, "%s", "");
	table_cell(table, "%s", "");
	table_cell(table, "%s", "");
	weight_cells(table, listing, &line->self, &line->total);
	table_cell(table, "%" PRIu64 "/%" PRIu64, line->total.samples, whole->samples);
	table_mark(table, call_mark(&listing->print, &line->total));
	call_vertex_image_cell(table, listing->graph, line->vertex);
	label_cell(table, listing, INDENT, line->vertex);
}

/*
 * Returns how many of the @count lines (callers or callees) of @entry reach the minimum share of
 * the entry's total. The lines are sorted by total, highest first.
 */
static uint32_t lines_shown(const struct listing *listing, const struct call_vertex *entry,
			    uint32_t first, uint32_t count)
{
	const struct call_graph *graph = listing->graph;
	double least = listing->print.style->min_share *
		       (double)call_graph_rank(graph, &entry->total);
	uint32_t shown = 0;

	while (shown < count &&
	       (double)call_graph_rank(graph, &graph->lines.at[first + shown].total) >= least)
		shown++;
	return shown;
}

static void put_rest(struct table *table, uint32_t count)
{
	for (size_t i = 0; count && i + 1 < table->column_count; i++)
		table_cell(table, "%s", "");
	if (count)
		table_cell(table, INDENT "... %" PRIu32 " more", count);
}

/*
 * Prints an entry with its callers and callees. The callers are sorted by total in ascending order,
 * so that the most important caller is directly above the function.
 */
static void put_entry(struct table *table, const struct listing *listing, uint32_t vertex)
{
	const struct call_vertex *at = vertex_at(listing, vertex);
	const struct call_line *lines = listing->graph->lines.at;
	uint32_t callers = lines_shown(listing, at, at->callers, at->caller_count);
	uint32_t callees = lines_shown(listing, at, at->callees, at->callee_count);

	put_rest(table, at->caller_count - callers);
	for (uint32_t i = callers; i-- > 0;)
		put_line(table, listing, &lines[at->callers + i], &at->total);
	put_primary(table, listing, vertex);
	for (uint32_t i = 0; i < callees; i++) {
		const struct call_line *line = &lines[at->callees + i];

		put_line(table, listing, line, &vertex_at(listing, line->vertex)->total);
	}
	put_rest(table, at->callee_count - callees);
	table_rule(table);
}

static const char *weight_title(const struct listing *listing, bool children)
{
	if (listing->print.event->is_time)
		return children ? "children s" : "self s";
	return children ? "children" : "self";
}

static int print_entries(struct listing *listing)
{
	const struct table_column columns[] = {
		LEFT("index"),
		RIGHT("total"),
		RIGHT("95 % interval"),
		RIGHT(weight_title(listing, false)),
		RIGHT(weight_title(listing, true)),
		RIGHT("samples"),
		LEFT(""),
		PATH("image", IMAGE_COLUMNS),
		LEFT("function"),
	};
	struct table table = { .columns = columns,
			       .column_count = 9,
			       .width = listing->print.style->columns,
			       .palette = listing->print.style->palette };

	for (size_t i = 0; i < listing->shown; i++)
		put_entry(&table, listing, listing->order[i]);
	return table_print(&table, listing->print.out);
}

static void put_flat(struct table *table, const struct listing *listing, uint32_t vertex,
		     struct count *sum)
{
	const struct call_vertex *at = vertex_at(listing, vertex);
	bool is_time = listing->print.event->is_time;

	count_add(sum, &at->self);
	call_share_cells(table, &listing->print, &at->self, listing->print.total);
	cell_weight(table, sum->weight, is_time);
	cell_weight(table, at->self.weight, is_time);
	call_share_cells(table, &listing->print, &at->total, listing->print.total);
	table_mark(table, call_mark(&listing->print, &at->self));
	call_vertex_image_cell(table, listing->graph, vertex);
	label_cell(table, listing, "", vertex);
}

static bool is_shown(const struct listing *listing, uint32_t vertex)
{
	return listing->number[vertex] && listing->number[vertex] <= listing->shown;
}

static int print_flat(struct listing *listing)
{
	const struct table_column columns[] = {
		RIGHT("self"),	  RIGHT("95 % interval"),
		RIGHT("sum"),	  RIGHT(weight_title(listing, false)),
		RIGHT("total"),	  RIGHT("95 % interval"),
		LEFT(""),	  PATH("image", IMAGE_COLUMNS),
		LEFT("function"),
	};
	struct table table = { .columns = columns,
			       .column_count = 9,
			       .width = listing->print.style->columns,
			       .palette = listing->print.style->palette };
	size_t count = 0;
	_cleanup_free_ uint32_t *order = call_graph_order(listing->graph, CALL_BY_SELF, &count);
	struct count sum = { 0 };

	if (!order)
		return -ENOMEM;
	/*
	 * Print the functions with the highest self counts. If there is a limit, print as many
	 * functions here as there are entries.
	 */
	for (size_t i = 0; i < count && (i < listing->shown || !listing->print.style->limit); i++)
		if (listing->number[order[i]])
			put_flat(&table, listing, order[i], &sum);
	(void)fputs("\nFlat profile\n------------\n", listing->print.out);
	return table_print(&table, listing->print.out);
}

static int print_index(struct listing *listing)
{
	static const struct table_column columns[] = { RIGHT("index"), PATH("image", IMAGE_COLUMNS),
						       LEFT("function") };
	struct table table = { .columns = columns,
			       .column_count = 3,
			       .width = listing->print.style->columns,
			       .palette = listing->print.style->palette };
	size_t count = 0;
	_cleanup_free_ uint32_t *order = call_graph_order(listing->graph, CALL_BY_NAME, &count);

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!is_shown(listing, order[i]))
			continue;
		table_cell(&table, "[%" PRIu32 "]", listing->number[order[i]]);
		call_vertex_image_cell(&table, listing->graph, order[i]);
		label_cell(&table, listing, "", order[i]);
	}
	(void)fputs("\nIndex by name\n-------------\n", listing->print.out);
	return table_print(&table, listing->print.out);
}

static int print_text(struct listing *listing)
{
	FILE *out = listing->print.out;
	int rc, flat_rc, index_rc;

	call_heading(&listing->print, "");
	(void)fputs("Each entry shows the callers of a function above it and its "
		    "callees below it.\n3/9: 3 of a function's 9 samples passed "
		    "through this call.\nchildren: time in the functions that the "
		    "function called.\n\nCall graph\n----------\n",
		    out);
	rc = print_entries(listing);
	call_rest(&listing->print, listing->shown, listing->count, "entries");
	flat_rc = print_flat(listing);
	index_rc = print_index(listing);
	if (rc == 0)
		rc = flat_rc;
	return rc < 0 ? rc : index_rc;
}

/* ---- JSON ---- */

static void json_name(struct listing *listing, uint32_t vertex)
{
	const struct call_vertex *at = vertex_at(listing, vertex);
	struct json *json = &listing->print.json;

	json_u64(json, "index", listing->number[vertex]);
	call_json_vertex(&listing->print, listing->graph, vertex);
	json_u64(json, "cycle", at->cycle);
}

static void json_lines(struct listing *listing, const char *key, uint32_t first, uint32_t count,
		       const struct count *whole)
{
	struct call_print *print = &listing->print;

	json_open(&print->json, key, '[');
	for (uint32_t i = first; i < first + count; i++) {
		const struct call_line *line = &listing->graph->lines.at[i];

		json_open(&print->json, NULL, '{');
		json_name(listing, line->vertex);
		call_json_count(print, "self", &line->self, whole);
		call_json_count(print, "total", &line->total, whole);
		json_close(&print->json);
	}
	json_close(&print->json);
}

static int print_json(struct listing *listing)
{
	struct call_print *print = &listing->print;

	call_json_begin(print);
	json_open(&print->json, "entries", '[');
	for (size_t i = 0; i < listing->shown; i++) {
		const struct call_vertex *at = vertex_at(listing, listing->order[i]);

		json_open(&print->json, NULL, '{');
		json_name(listing, listing->order[i]);
		json_bool(&print->json, "is_cycle", at->kind == CALL_CYCLE);
		call_json_count(print, "self", &at->self, print->total);
		call_json_count(print, "total", &at->total, print->total);
		call_json_count(print, "recursive", &at->recursive, print->total);
		json_lines(listing, "callers", at->callers, at->caller_count, &at->total);
		json_lines(listing, "callees", at->callees, at->callee_count, &at->total);
		json_close(&print->json);
	}
	json_close(&print->json);
	json_close(&print->json);
	return 0;
}

/* ---- CSV ---- */

static void csv_row(struct listing *listing, uint32_t entry, const char *role,
		    const struct call_line *line, const struct count *whole)
{
	const struct call_print *print = &listing->print;

	(void)fprintf(print->out, "%" PRIu32 ",%s,%" PRIu32 ",", listing->number[entry], role,
		      listing->number[line->vertex]);
	call_csv_vertex(print, listing->graph, line->vertex);
	(void)fprintf(print->out, "%" PRIu32 ",", vertex_at(listing, line->vertex)->cycle);
	call_csv_event(print);
	call_csv_count(print, &line->self, whole);
	call_csv_count(print, &line->total, whole);
	(void)fputs("\r\n", print->out);
}

static void csv_entry(struct listing *listing, uint32_t entry)
{
	const struct call_vertex *at = vertex_at(listing, entry);
	const struct call_line *lines = listing->graph->lines.at;
	const struct call_line own = { entry, at->self, at->total };

	csv_row(listing, entry, at->kind == CALL_CYCLE ? "cycle" : "function", &own,
		listing->print.total);
	for (uint32_t i = 0; i < at->caller_count; i++)
		csv_row(listing, entry, "caller", &lines[at->callers + i], &at->total);
	for (uint32_t i = 0; i < at->callee_count; i++)
		csv_row(listing, entry, at->kind == CALL_CYCLE ? "member" : "callee",
			&lines[at->callees + i], &at->total);
}

static int print_csv(struct listing *listing)
{
	(void)fputs("entry,role,index,", listing->print.out);
	call_csv_titles(&listing->print, "function", "");
	(void)fputs("cycle,event" CALL_CSV_COLUMNS("self_") CALL_CSV_COLUMNS("total_") "\r\n",
		    listing->print.out);
	for (size_t i = 0; i < listing->shown; i++)
		csv_entry(listing, listing->order[i]);
	return 0;
}

int call_graph_print(const struct call_graph *graph, const struct call_style *style, FILE *out)
{
	static int (*const printers[])(struct listing *) = {
		[REPORT_TEXT] = print_text,
		[REPORT_JSON] = print_json,
		[REPORT_CSV] = print_csv,
	};
	_cleanup_(listing_fini) struct listing listing = {
		.print = call_print_of(graph->tree, style, out),
	};
	int rc = listing_init(&listing, graph);

	return rc < 0 ? rc : printers[style->format](&listing);
}
