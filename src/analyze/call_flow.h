/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_flow.h - counts samples of each function, and of each pair of caller and callee
 *
 * Private to analyze/. call_graph.c runs it over a top-down tree, first by function and then again
 * with each cycle merged into one vertex. Samples are counted by vertex. Vertices are 32-bit
 * numbers that the caller of call_flow_make() assigns to the tree's nodes; 0 is the root.
 *
 * A sample is counted once, even if a function is several times on its stack. The counts of a
 * vertex are:
 *
 *	self		samples taken in the vertex
 *	total		samples with the vertex anywhere on the stack; each sample is charged at the
 *			vertex's outermost occurrence
 *	recursive	the part of total that has the vertex on the stack more than once
 *
 * The counts of an arc a -> b are:
 *
 *	by_callee	samples in which the outermost b was called by a. The sum over all a is
 *			the total of b. No function is its own caller.
 *	by_caller	samples in which b was called by the innermost a. The sum over all b, plus
 *			the self of a, is the total of a. No function is its own callee.
 *
 * by_callee and by_caller each also have a self, which counts only the samples taken in b itself.
 * Without recursion by_callee and by_caller are equal: both count the samples with a calling b on
 * their stack.
 *
 * The tree is walked once, with a constant amount of work at each node. If a node's vertex also
 * occurs further out on the path, the node's total is subtracted from the arc through which the
 * path left that outer occurrence. To compute the self of an arc, the walk notes a vertex's self
 * when it enters a node, and takes the difference when it leaves the node.
 */
#ifndef ASSAY_ANALYZE_CALL_FLOW_H
#define ASSAY_ANALYZE_CALL_FLOW_H

#include "analyze/call_tree.h"

struct call_part {
	struct count self, total;
};

struct call_arc {
	uint32_t caller, callee;	/* two different vertices; the caller may be 0 */
	struct call_part by_callee, by_caller;
};

struct call_flow_vertex {
	struct count self, total, recursive;
	/* depth at which the vertex last occurs on the current path; 0: not on the path */
	uint32_t last;
};

struct call_flow {
	VEC(struct call_flow_vertex) vertices;
	VEC(struct call_arc) arcs;	/* unordered; each pair occurs once */
};

/*
 * @vertex_of gives the vertex of each node of @tree; all vertices must be below @vertex_count.
 *	Returns 0 or -ENOMEM. Call call_flow_fini() in both cases.
 */
int call_flow_make(const struct call_tree *tree, const uint32_t *vertex_of, size_t vertex_count,
		   struct call_flow *ret_flow);
void call_flow_fini(struct call_flow *flow);

#endif
