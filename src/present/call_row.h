/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_row.h - shared by the printers of call trees and call graphs
 *
 * Private to present/.
 */
#ifndef ASSAY_PRESENT_CALL_ROW_H
#define ASSAY_PRESENT_CALL_ROW_H

#include "present/call.h"
#include "present/json.h"
#include "present/table.h"

struct call_print {
	const struct call_tree *tree;
	const struct profile *profile;
	const struct event *event;
	const struct count *total;	/* count of all samples in the tree */
	const struct call_style *style;
	uint64_t min_rank;
	uint32_t depth_max;		/* number of tree levels to print; 0: unlimited */
	FILE *out;
	struct json json;
};

struct call_print call_print_of(const struct call_tree *tree, const struct call_style *style,
				FILE *out);

/*
 * Prints the heading: the number of samples, the event, the number of idle samples (which are not
 * in the tree), and a legend of the marks, followed by @legend.
 */
void call_heading(const struct call_print *print, const char *legend);

/*
 * If only @shown of @count lines were printed, prints a line such as "  ... 3 more lines (--limit 0
 * --min-percent 0 shows all)". @what is the plural noun, in this example "lines". style->settings
 * has the names of the options.
 */
void call_rest(const struct call_print *print, size_t shown, size_t count, const char *what);

/* Returns the name of a vertex: of a function, or "<spontaneous>" or "<cycle 1 as a whole>". */
const char *call_vertex_name(const struct call_graph *graph, uint32_t vertex,
			     char scratch[static GROUP_IMAGE_NAME_MAX]);
const char *call_vertex_image(const struct call_graph *graph, uint32_t vertex);

/*
 * Each function adds one cell. call_image_cell() adds the file name of the image of @frame.
 * call_vertex_cell() adds the name of a vertex after @indent, with a mark if the function was
 * inlined. If @number is not 0, also adds the vertex's cycle and its number, such as
 * "even <cycle 1> [3]".
 */
void call_image_cell(struct table *table, const struct profile *profile, uint64_t frame);
void call_vertex_image_cell(struct table *table, const struct call_graph *graph, uint32_t vertex);
void call_vertex_cell(struct table *table, const struct call_graph *graph, uint32_t vertex,
		      const char *indent, uint32_t number);

/* Returns the mark of a row: "~" or "". */
const char *call_mark(const struct call_print *print, const struct count *count);

/* Adds two cells: the share of @count in @total, and the confidence interval of this share. */
void call_share_cells(struct table *table, const struct call_print *print,
		      const struct count *count, const struct count *total);

/* Opens the outermost object with its members version, event, samples and idle_samples. */
void call_json_begin(struct call_print *print);
/*
 * Adds an object with the figures of @count (samples, weight, share and its interval). The share is
 * relative to @total.
 */
void call_json_count(struct call_print *print, const char *key, const struct count *count,
		     const struct count *total);

/*
 * CALL_CSV_COLUMNS() has the titles of the CSV columns "samples,weight,seconds,share,low,high", and
 * call_csv_count() prints their values. A comma precedes each title and each value.
 */
#define CALL_CSV_COLUMNS(prefix)                                                \
	"," prefix "samples," prefix "weight," prefix "seconds," prefix "share," prefix \
	"low," prefix "high"
void call_csv_count(const struct call_print *print, const struct count *count,
		    const struct count *total);

/*
 * Prints the event's name as a CSV field, without a comma. The caller must call call_csv_count()
 * next, which prints the comma.
 */
void call_csv_event(const struct call_print *print);

/*
 * Add the members "function", "image", those of json_quality() and, if the profile has inlined
 * functions, "inlined".
 */
void call_json_frame(struct call_print *print, uint64_t frame);
void call_json_vertex(struct call_print *print, const struct call_graph *graph, uint32_t vertex);

/*
 * Print the CSV fields "function", "image", if the profile has inlined functions "inlined", and
 * "quality", "before" and "after". A comma follows each field. call_csv_titles() prints the titles
 * of these fields; @prefix is in front of each but the first, which is @function.
 */
void call_csv_frame(const struct call_print *print, uint64_t frame);
void call_csv_vertex(const struct call_print *print, const struct call_graph *graph,
		     uint32_t vertex);
void call_csv_titles(const struct call_print *print, const char *function, const char *prefix);

#endif
