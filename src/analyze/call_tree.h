/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_tree.h - samples by the path of functions that led to them
 *
 * A recording's stacks are a trie of locations; a call tree is the same by function
 * (call_frame.h), with profile.inlined also by those that were inlined: two paths through the
 * same functions are one.
 *
 *	top-down	the root's children are the functions where threads begin, a node's are what
 *			it called; self: samples taken in the function itself, on this path
 *	bottom-up	the root's children are the sampled functions, a node's are who called it;
 *			self: samples whose stack ends here, so outermost frames
 *
 * In both a node's total is its self and the totals of its children, and the root's total is all
 * that passed the filter.  A node is a path, so no sample counts twice in one; a function that
 * calls itself is a node below itself.  Totals by function, which must not count twice either,
 * are call_graph.h's business.
 *
 * Nodes lie in one array, the root is [0], and a parent stands before its children: sums run
 * from the end to the beginning, and no walk needs recursion, however deep a stack claims to
 * be.  Children are linked, highest rank first.
 *
 * Cost: top-down one look-up for each stack that leads to a sample.  Bottom-up trees are as
 * large as the sum of all depths, because paths to the beginning part at once and never meet
 * again; so what is too small to be shown is not unfolded (@min_rank, @depth_max), and both the
 * nodes of a tree (CALL_TREE_NODES_MAX) and the steps to it are limited: @cut says when.  Inline
 * chains are shared by the stacks of a file, too, and are left out where a tree is that large.
 */
#ifndef ASSAY_ANALYZE_CALL_TREE_H
#define ASSAY_ANALYZE_CALL_TREE_H

#include "analyze/call_frame.h"

#define CALL_TREE_ROOT 0
#define CALL_TREE_NODES_MAX (1u << 22)	/* of bottom-up trees, and with inlined functions */

struct call_node {
	uint64_t frame;		/* call_frame.h; of the root CALL_FRAME_ALL */
	uint32_t parent;	/* the root's is itself */
	uint32_t first_child, next_sibling;	/* 0: none */
	uint32_t depth;		/* of the root 0 */
	uint8_t self_context;	/* enum context of some of @self; top-down only */
	struct count self, total;
};

struct call_tree {
	const struct profile *profile;	/* not owned; read with by_stack */
	VEC(struct call_node) nodes;
	uint8_t event;
	bool by_weight;		/* count.h */
	bool bottom_up;
	bool cut;		/* a limit was reached: some totals are not unfolded */
};

struct call_tree_options {
	bool bottom_up;
	uint64_t min_rank;	/* nodes below are not unfolded further; bottom-up only */
	uint32_t depth_max;	/* the same for nodes as deep; 0: any depth; bottom-up only */
	uint32_t nodes_max;	/* 0: CALL_TREE_NODES_MAX */
};

/* 0 or -ENOMEM; call_tree_fini() after either. */
int call_tree_make(const struct profile *profile, const struct call_tree_options *options,
		   struct call_tree *ret_tree);
void call_tree_fini(struct call_tree *tree);

static inline uint64_t call_node_rank(const struct call_tree *tree, uint32_t node)
{
	return count_rank(&tree->nodes.at[node].total, tree->by_weight);
}

/* What all shares of a tree are shares of. */
static inline const struct count *call_tree_total(const struct call_tree *tree)
{
	return &tree->nodes.at[CALL_TREE_ROOT].total;
}

/*
 * The node behind @node in depth-first order, 0 at the end.  Children of a node that is not
 * @selected are passed over; NULL: none are.
 */
uint32_t call_tree_next(const struct call_tree *tree, uint32_t node, const bool *selected);

/*
 * Which nodes are worth a line, by index: those with at least @min_rank, no deeper than
 * @depth_max (0: any) and of those the @limit (0: all) highest ones.  With a node its parent
 * is among them.  NULL when out of memory; the caller frees it.
 */
bool *call_tree_select(const struct call_tree *tree, uint64_t min_rank, uint32_t depth_max,
		       size_t limit);

#endif
