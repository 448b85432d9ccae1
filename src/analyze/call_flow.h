/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_flow.h - counts samples of each function, and of each pair of caller and callee
 *
 * Private to analyze/. Samples are counted for each vertex. The caller of call_flow_make() assigns
 * a vertex, which is a 32-bit number, to each node of a top-down tree; vertex 0 is the root.
 * call_graph.c makes the counts twice: first with one vertex for each function, and then again with
 * one vertex for all functions of a cycle.
 *
 * Each count contains a sample at most once, even if a function is on the sample's stack several
 * times. The counts of a vertex are:
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
 * The sums above are the field total of by_callee and by_caller. Their field self counts only the
 * samples that were taken in b itself. Without recursion by_callee and by_caller are equal: both
 * count the samples on whose stack a calls b.
 *
 * The tree is walked once, with a constant amount of work at each node. If a node's vertex also
 * occurs further out on the path, the node's samples have already been added to by_caller of the
 * arc through which the path left that outer occurrence. So the node's total is subtracted from
 * that by_caller. To compute the self of an arc, the walk notes the vertex's self when it enters a
 * node, and subtracts the noted value from the vertex's self when it leaves the node.
 */
#ifndef ASSAY_ANALYZE_CALL_FLOW_H
#define ASSAY_ANALYZE_CALL_FLOW_H

#include "analyze/call_tree.h"

struct call_part {
	struct count self, total;
};

struct call_arc {
	uint32_t caller, callee;	/* two different vertices; caller 0 is the root */
	struct call_part by_callee, by_caller;
};

struct call_flow_vertex {
	struct count self, total, recursive;
	/* depth of the vertex's innermost occurrence on the current path; 0: not on the path */
	uint32_t last;
};

struct call_flow {
	VEC(struct call_flow_vertex) vertices;
	VEC(struct call_arc) arcs;	/* unordered; each pair occurs once */
};

/*
 * @vertex_of[i] is the vertex of node i of @tree. All vertices must be below @vertex_count. Returns
 * 0 or -ENOMEM. Call call_flow_fini() in both cases.
 */
int call_flow_make(const struct call_tree *tree, const uint32_t *vertex_of, size_t vertex_count,
		   struct call_flow *ret_flow);
void call_flow_fini(struct call_flow *flow);

#endif
