/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_graph.h - functions, their callers and their callees
 *
 * A call graph is made from a top-down call tree. Each function is a vertex, with one line for each
 * caller and one for each callee. The lines of a function's callers add up to its total. The lines
 * of its callees plus its self also add up to its total. call_flow.h defines self and total, and
 * how a sample of a recursive function is counted only once.
 *
 * Functions that call each other in circles form a cycle. The graph has an additional vertex for
 * each cycle, next to the vertices of its members. A cycle's total counts the samples with any
 * member on the stack. Its callers are the callers outside the cycle, and its callees are its
 * members. A function that calls only itself is not in a cycle.
 *
 * vertices[0] represents everything outside the outermost frames; its callees are the outermost
 * frames. Reasons why stacks were cut (call_frame.h) are vertices without callers. Neither kind of
 * vertex is a function.
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
	/* cycle: its own number; function: number of its cycle; 0: none */
	uint32_t cycle;
	struct count self, total, recursive;
	/* index of the first line in graph.lines; the lines are sorted by rank, highest first */
	uint32_t callers, caller_count;
	uint32_t callees, callee_count;
};

struct call_graph {
	const struct call_tree *tree;	/* borrowed */
	VEC(struct call_vertex) vertices;	/* the vertices of cycles are at the end */
	VEC(struct call_line) lines;
	uint32_t cycle_count;		/* cycles are numbered from 1, highest rank first */
};

/* Returns 0 or -ENOMEM. Call call_graph_fini() in both cases. */
int call_graph_make(const struct call_tree *top_down, struct call_graph *ret_graph);
void call_graph_fini(struct call_graph *graph);

enum call_order { CALL_BY_TOTAL, CALL_BY_SELF, CALL_BY_NAME };

/*
 * Returns the indices of the functions, sorted by @order. With CALL_BY_TOTAL cycles are included; a
 * cycle comes before members that have the same total. Returns NULL if out of memory. The caller
 * frees the array.
 */
uint32_t *call_graph_order(const struct call_graph *graph, enum call_order order,
			   size_t *ret_count);

/* Returns the number by which a line or vertex is ranked. */
static inline uint64_t call_graph_rank(const struct call_graph *graph, const struct count *count)
{
	return count_rank(count, graph->tree->by_weight);
}

#endif
