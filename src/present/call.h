/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h - call trees, call graphs and the neighbours of functions, printed
 *
 * In text, CSV or JSON, under the rules of report.h.  Names are as long as they are: none is cut
 * but by the width of a terminal.  JSON and CSV are flat lists, however deep the stacks: a
 * tree's row names its parent.  All return 0 or -ENOMEM.
 */
#ifndef ASSAY_PRESENT_CALL_H
#define ASSAY_PRESENT_CALL_H

#include "analyze/call_graph.h"
#include "present/report.h"

struct call_style {
	enum report_format format;
	size_t limit;		/* of nodes or entries: those with the highest totals; 0: all */
	double min_share;	/* of all samples; in [0, 1] */
	size_t columns;		/* of the terminal; 0: none, names are not cut */
};

/* The least rank that reaches style.min_share of what @profile has by stack. */
uint64_t call_style_min_rank(const struct call_style *style, const struct profile *profile);

/* @depth_max: levels; 0: all. */
int call_tree_print(const struct call_tree *tree, uint32_t depth_max,
		    const struct call_style *style, FILE *out);

/* A table of functions, highest total first. */
int call_flat_print(const struct call_graph *graph, const struct call_style *style, FILE *out);

/* In text a call graph profile as gprof's: entries, then a flat profile, then an index of names. */
int call_graph_print(const struct call_graph *graph, const struct call_style *style, FILE *out);

/*
 * The neighbours of @vertices, in this order.  style.limit and min_share choose among the callers
 * and among the callees of each; the share is one of its own total.
 */
int call_peek_print(const struct call_graph *graph, const uint32_t *vertices, size_t count,
		    const struct call_style *style, FILE *out);

#endif
