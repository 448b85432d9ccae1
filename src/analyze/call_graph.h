/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_graph.h - functions, their callers and their callees
 *
 * A call graph is made from a top-down call tree. call_flow.h defines what self, total and the
 * lines of callers and callees count, and how recursion counts only once. The lines of a function's
 * callers add up to its total. The lines of its callees and its self also add up to its total.
 *
 * Functions that call each other in circles form a cycle. A cycle is an additional entry next to
 * its members. Its total has the samples with any member on the stack. Its callers are the callers
 * outside the cycle, and its callees are its members. A function that calls only itself is not in a
 * cycle.
 *
 * vertices[0] stands for the outside of outermost frames; its callees are the outermost frames.
 * Reasons why stacks were cut (call_frame.h) are vertices without callers. Neither of these is a
 * function.
 */
#ifndef ASSAY_ANALYZE_CALL_GRAPH_H
#define ASSAY_ANALYZE_CALL_GRAPH_H

#include "analyze/call_flow.h"

#define CALL_GRAPH_OUTSIDE 0

struct call_line {
	uint32_t vertex;		/* the caller or callee */
	struct count self, total;
};

enum call_kind { CALL_OUTSIDE, CALL_CUT, CALL_FUNCTION, CALL_CYCLE };

struct call_vertex {
	enum call_kind kind;
	uint64_t frame;			/* CALL_FRAME_ALL for CALL_OUTSIDE and CALL_CYCLE */
	/* number of the cycle, or of the cycle that it is in; 0: none */
	uint32_t cycle;
	struct count self, total, recursive;
	uint32_t callers, caller_count;	/* first index in graph.lines; highest rank first */
	uint32_t callees, callee_count;
};

struct call_graph {
	const struct call_tree *tree;	/* borrowed */
	VEC(struct call_vertex) vertices;	/* cycles come after all others */
	VEC(struct call_line) lines;
	uint32_t cycle_count;		/* numbered from 1, highest rank first */
};

/* Returns 0 or -ENOMEM. Call call_graph_fini() in both cases. */
int call_graph_make(const struct call_tree *top_down, struct call_graph *ret_graph);
void call_graph_fini(struct call_graph *graph);

enum call_order { CALL_BY_TOTAL, CALL_BY_SELF, CALL_BY_NAME };

/*
 * Returns the functions in @order. With CALL_BY_TOTAL cycles are included; a cycle comes before
 * members that have the same total. Returns NULL if out of memory. The caller frees the array.
 */
uint32_t *call_graph_order(const struct call_graph *graph, enum call_order order,
			   size_t *ret_count);

/* Returns the number by which a line or vertex is ranked. */
static inline uint64_t call_graph_rank(const struct call_graph *graph, const struct count *count)
{
	return count_rank(count, graph->tree->by_weight);
}

#endif
