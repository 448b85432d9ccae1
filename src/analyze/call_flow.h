/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_flow.h - what each function had, and from whom to whom it went
 *
 * Private to analyze/: call_graph.c runs it over a top-down tree, by function and again with each
 * cycle as one.  What is told apart are vertices, 32-bit numbers that the caller gives to the
 * tree's nodes; 0 is the root.
 *
 * No sample counts twice, however often a function is on its stack.  So of a vertex
 *
 *	self		is what was sampled in it
 *	total		what has it anywhere on the stack: each sample is charged at its outermost
 *			occurrence
 *	recursive	the part of it that has it more than once
 *	by_callee	of an arc a -> b: what has its outermost b called by a.  Over all a these
 *			add up to the total of b, and no function is its own caller
 *	by_caller	of an arc a -> b: what has b called by its innermost a.  Over all b these
 *			and self add up to the total of a, and no function is its own callee
 *
 * and of an arc's part its self is what was sampled in b itself.  Without recursion both views
 * of an arc are the same: the samples with a calling b on their stack.
 *
 * One walk over the tree, with a constant amount of work at each node: a node that is not its
 * vertex's first on the path takes its total from the arc that the one before it was left
 * through; sampled parts are differences of sums between entering and leaving a node.
 */
#ifndef ASSAY_ANALYZE_CALL_FLOW_H
#define ASSAY_ANALYZE_CALL_FLOW_H

#include "analyze/call_tree.h"

struct call_part {
	struct count self, total;
};

struct call_arc {
	uint32_t caller, callee;	/* never equal; the caller may be 0 */
	struct call_part by_callee, by_caller;
};

struct call_flow_vertex {
	struct count self, total, recursive;
	uint32_t last;		/* depth of the innermost occurrence on the path; 0: not on it */
};

struct call_flow {
	VEC(struct call_flow_vertex) vertices;
	VEC(struct call_arc) arcs;	/* each pair once, in no order */
};

/*
 * @vertex_of: by node of @tree, each below @vertex_count.  0 or -ENOMEM; call_flow_fini() after
 * either.
 */
int call_flow_make(const struct call_tree *tree, const uint32_t *vertex_of, size_t vertex_count,
		   struct call_flow *ret_flow);
void call_flow_fini(struct call_flow *flow);

#endif
