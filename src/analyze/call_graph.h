/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_graph.h - functions, their callers and their callees
 *
 * A call graph is made from a top-down call tree. Each function is a vertex. A vertex has a list of
 * its callers and a list of its callees. An entry of these lists is called a line. The lines of a
 * function's callers add up to the function's total. The lines of its callees plus its self also
 * add up to its total. call_flow.h defines self and total, and how a sample of a recursive function
 * is counted only once.
 *
 * Functions that call each other in circles form a cycle. For each cycle the graph has a vertex in
 * addition to the vertices of the cycle's members. A cycle's total counts the samples with any
 * member on the stack. The callers of a cycle are the vertices outside the cycle that call a
 * member. The callees of a cycle are its members. A function that calls only itself is not in a
 * cycle.
 *
 * vertices[0] represents everything outside the outermost frames; its callees are the outermost
 * frames. Each reason why stacks were cut (call_frame.h) is a vertex that only vertices[0] calls.
 * Neither vertices[0] nor a reason is a function.
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
	uint64_t frame;			/* CALL_FRAME_ALL if kind is CALL_OUTSIDE or CALL_CYCLE */
	/* number of this cycle, or of the cycle that contains this function; 0: in no cycle */
	uint32_t cycle;
	struct count self, total, recursive;
	/*
	 * callers and callees are the indices in graph.lines where the two lists begin; each list
	 * is sorted by rank, highest first
	 */
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
 * Returns the indices of the vertices that are functions, sorted by @order. CALL_BY_TOTAL also
 * includes the cycles, and sorts a cycle before its members that have the same total. Returns NULL
 * if out of memory. The caller frees the array.
 */
uint32_t *call_graph_order(const struct call_graph *graph, enum call_order order,
			   size_t *ret_count);

/* Returns the number by which a line or vertex is ranked: the weight or the number of samples. */
static inline uint64_t call_graph_rank(const struct call_graph *graph, const struct count *count)
{
	return count_rank(count, graph->tree->by_weight);
}

#endif
