/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_graph.h - functions, who called them and whom they called
 *
 * Made from a top-down call tree.  What self, total and the lines of callers and callees count,
 * and how recursion counts once, is defined in call_flow.h: the callers of a function share out
 * its total, and so do its callees and its self.
 *
 * Functions that call each other in circles are in a cycle, which is an entry besides its
 * members: its total has any of them on the stack, its callers are those outside, and its
 * callees are the members.  A function that calls only itself is in none.
 *
 * vertices[0] is what stands outside of outermost frames; its callees are those.  Reasons why
 * stacks were cut (call_frame.h) are vertices without callers.  Neither is a function.
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
	uint64_t frame;			/* CALL_OUTSIDE, CALL_CYCLE: CALL_FRAME_ALL */
	uint32_t cycle;			/* its own number, or that of its cycle; 0: in none */
	struct count self, total, recursive;
	uint32_t callers, caller_count;	/* in graph.lines, highest rank first */
	uint32_t callees, callee_count;
};

struct call_graph {
	const struct call_tree *tree;	/* not owned */
	VEC(struct call_vertex) vertices;	/* cycles stand behind all others */
	VEC(struct call_line) lines;
	uint32_t cycle_count;		/* numbered from 1, highest rank first */
};

/* 0 or -ENOMEM; call_graph_fini() after either. */
int call_graph_make(const struct call_tree *top_down, struct call_graph *ret_graph);
void call_graph_fini(struct call_graph *graph);

enum call_order { CALL_BY_TOTAL, CALL_BY_SELF, CALL_BY_NAME };

/*
 * The functions, and with CALL_BY_TOTAL the cycles, each in front of its members that have the
 * same total.  NULL when out of memory; the caller frees it.
 */
uint32_t *call_graph_order(const struct call_graph *graph, enum call_order order,
			   size_t *ret_count);

/* By which a line or vertex is ranked. */
static inline uint64_t call_graph_rank(const struct call_graph *graph, const struct count *count)
{
	return count_rank(count, graph->tree->by_weight);
}

#endif
