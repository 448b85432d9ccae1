/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h - prints call trees, call graphs and the callers and callees of functions
 *
 * The output is text, CSV or JSON, and follows the rules of report.h. Names are cut only if they do
 * not fit the width of a terminal. JSON and CSV contain flat lists, in which each row of a tree
 * names its parent. So the nesting of the output does not grow with the depth of the stacks. All
 * functions return 0 or -ENOMEM.
 */
#ifndef ASSAY_PRESENT_CALL_H
#define ASSAY_PRESENT_CALL_H

#include "analyze/call_graph.h"
#include "present/report.h"

struct call_style {
	enum report_format format;
	/*
	 * maximum number of tree nodes or graph entries; only those with the highest totals are
	 * printed; 0: all
	 */
	size_t limit;
	double min_share;	/* minimum share of all samples, in [0, 1] */
	size_t columns;		/* width of the terminal; 0: not a terminal, names are not cut */
	const struct setting_names *settings;
	const struct palette *palette;		/* NULL: no colors */
};

/*
 * Returns the minimum rank (see count_rank()) that a row needs to be printed: style->min_share of
 * the rank of all samples of @profile, rounded up.
 */
uint64_t call_style_min_rank(const struct call_style *style, const struct profile *profile);

/* Prints at most @depth_max levels of the tree (0: all). */
int call_tree_print(const struct call_tree *tree, uint32_t depth_max,
		    const struct call_style *style, FILE *out);

/* Prints a table of functions, highest total first. */
int call_flat_print(const struct call_graph *graph, const struct call_style *style, FILE *out);

/*
 * Prints a call graph profile. The text format is that of gprof: entries, a flat profile and an
 * index of names.
 */
int call_graph_print(const struct call_graph *graph, const struct call_style *style, FILE *out);

/*
 * Prints the callers and callees of each vertex in @vertices, in the order of this array.
 * style->limit and style->min_share apply separately to the callers and to the callees of each
 * vertex. Here style->min_share is a share of the vertex's own total, not of all samples.
 */
int call_peek_print(const struct call_graph *graph, const uint32_t *vertices, size_t count,
		    const struct call_style *style, FILE *out);

#endif
