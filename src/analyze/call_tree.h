/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_tree.h - samples by the path of functions that led to them
 *
 * The stacks of a recording form a trie of locations. A call tree is the same trie with frames
 * (call_frame.h) instead of locations: functions and, with profile.inlined, inlined functions.
 * Stacks that pass through the same functions at different addresses become one path.
 *
 *	top-down	children of the root are the functions where threads begin; children of a
 *			node are its callees; self counts samples taken in the function itself on
 *			this path
 *	bottom-up	children of the root are the sampled functions; children of a node are its
 *			callers; self counts samples whose stack ends here (outermost frames)
 *
 * In both trees a node's total is its self plus the totals of its children, and the root's total is
 * all samples that passed the filter. A node is a path, so no sample counts twice in one node. If a
 * function calls itself, the call is a child node of the same function. call_graph.h computes
 * totals by function, which also count each sample only once.
 *
 * Nodes are in one array, the root is [0], and a parent comes before its children. So a loop from
 * the end to the beginning adds up all totals, and no walk needs recursion, however deep a stack
 * claims to be. The children of a node are a linked list, highest rank first.
 *
 * Cost: a top-down tree takes one look-up for each stack that leads to a sample. A bottom-up tree
 * can have as many nodes as all stacks have frames, because few stacks share a path near their
 * leaf. The children of a node too small to be shown are therefore not added (@min_rank,
 * @depth_max), and both the nodes of a tree (CALL_TREE_NODES_MAX) and the steps to build it are
 * limited. Inlined functions can also make a tree very large, because many stacks of a file can
 * share one long inline chain. They are left out once a tree has reached the limit of nodes. @cut
 * is set if a limit was reached.
 */
#ifndef ASSAY_ANALYZE_CALL_TREE_H
#define ASSAY_ANALYZE_CALL_TREE_H

#include "analyze/call_frame.h"

#define CALL_TREE_ROOT 0
#define CALL_TREE_NODES_MAX (1u << 22)	/* limit for bottom-up trees and inlined functions */

struct call_node {
	uint64_t frame;		/* see call_frame.h; CALL_FRAME_ALL for the root */
	uint32_t parent;	/* the root is its own parent */
	uint32_t first_child, next_sibling;	/* 0: none */
	uint32_t depth;		/* 0 for the root */
	uint8_t self_context;	/* enum context of one of the samples of @self; top-down only */
	struct count self, total;
};

struct call_tree {
	const struct profile *profile;	/* borrowed; read with by_stack */
	VEC(struct call_node) nodes;
	uint8_t event;
	bool by_weight;		/* see count.h */
	bool bottom_up;
	bool cut;		/* a limit was reached: some nodes lack children */
};

struct call_tree_options {
	bool bottom_up;
	/* nodes with a lower rank get no children; bottom-up only */
	uint64_t min_rank;
	/* nodes at this depth get no children; 0: no limit; bottom-up only */
	uint32_t depth_max;
	uint32_t nodes_max;	/* 0: CALL_TREE_NODES_MAX */
};

/* Returns 0 or -ENOMEM. Call call_tree_fini() in both cases. */
int call_tree_make(const struct profile *profile, const struct call_tree_options *options,
		   struct call_tree *ret_tree);
void call_tree_fini(struct call_tree *tree);

static inline uint64_t call_node_rank(const struct call_tree *tree, uint32_t node)
{
	return count_rank(&tree->nodes.at[node].total, tree->by_weight);
}

/* Returns the whole to which all shares of the tree refer. */
static inline const struct count *call_tree_total(const struct call_tree *tree)
{
	return &tree->nodes.at[CALL_TREE_ROOT].total;
}

/*
 * Returns the node after @node in depth-first order, 0 at the end. Children of a node that is not
 * in @selected are skipped. If @selected is NULL, nothing is skipped.
 */
uint32_t call_tree_next(const struct call_tree *tree, uint32_t node, const bool *selected);

/*
 * Selects the nodes that are worth a line, by index. These are the @limit (0: all) highest-ranked
 * nodes with a rank of at least @min_rank and a depth of at most @depth_max (0: any). The parent of
 * a selected node is also selected. Returns NULL if out of memory. The caller frees the array.
 */
bool *call_tree_select(const struct call_tree *tree, uint64_t min_rank, uint32_t depth_max,
		       size_t limit);

#endif
