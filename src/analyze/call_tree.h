/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_tree.h - samples by the path of functions that led to them
 *
 * The stacks of a recording form a trie of locations. A call tree is the same trie with frames
 * (call_frame.h) instead of locations: functions and, with profile.inlined, inlined functions.
 * Stacks that pass through the same functions at different addresses become one path.
 *
 *	top-down	children of the root are the functions where threads begin, or groups of
 *			samples such as applications, which contain these functions; children of a
 *			node are its callees; self counts samples taken in the function itself on
 *			this path
 *	bottom-up	children of the root are the sampled functions; children of a node are its
 *			callers; self counts samples whose stack ends here (outermost frames)
 *
 * In both trees a node's total is its self plus the totals of its children, and the root's total is
 * the count of all samples that passed the filter. A node represents a path, so no sample counts
 * twice in one node. If a function calls itself, the inner call is a child node with the same
 * function. call_graph.h computes totals by function, which also count each sample only once.
 *
 * All nodes are in one array. The root is element 0, and a parent comes before its children. So a
 * loop from the end of the array to its beginning can add up all totals, and no function needs
 * recursion, even if a forged file has very deep stacks. The children of a node are a linked list,
 * highest rank first.
 *
 * Cost: to make a top-down tree, each stack that leads to a sample is looked up once in each group.
 * A bottom-up tree can have as many nodes as all stacks together have frames, because few stacks
 * have the same innermost frames. So nodes that are too small or too deep to be shown get no
 * children (@min_rank, @depth_max). A bottom-up tree also has a limited number of nodes
 * (CALL_TREE_NODES_MAX), and is made in a limited number of steps. Inlined functions can also make
 * a tree very large, because many stacks of a file can contain the same long inline chain. Once a
 * tree has the maximum number of nodes, no more inlined functions are added, and in a tree with
 * groups no more stacks: their samples are counted as the group's own. @cut is set if the limit of
 * nodes or steps was reached.
 */
#ifndef ASSAY_ANALYZE_CALL_TREE_H
#define ASSAY_ANALYZE_CALL_TREE_H

#include "analyze/call_frame.h"

#define CALL_TREE_ROOT 0
/* maximum number of nodes; a top-down tree may exceed it, but see above */
#define CALL_TREE_NODES_MAX (1u << 22)

struct call_node {
	uint64_t frame;		/* see call_frame.h; CALL_FRAME_ALL for the root */
	uint32_t parent;	/* the root is its own parent */
	uint32_t first_child, next_sibling;	/* 0: none */
	uint32_t depth;		/* 0 for the root */
	uint8_t self_context;	/* enum context of one of the samples of @self; top-down only */
	struct count self, total;
};

struct call_tree {
	const struct profile *profile;	/* borrowed; must have been read with the option by_stack */
	VEC(struct call_node) nodes;
	uint8_t event;
	bool by_weight;		/* see count.h */
	bool bottom_up;
	bool grouped;		/* the children of the root are groups by the dimension @group */
	enum dimension group;
	bool cut;		/* a limit was reached, so some nodes are missing */
};

struct call_tree_options {
	bool bottom_up;
	/* nodes with a lower rank get no children; bottom-up only */
	uint64_t min_rank;
	/* nodes at this depth get no children; 0: no limit; bottom-up only */
	uint32_t depth_max;
	uint32_t nodes_max;	/* 0: CALL_TREE_NODES_MAX */
	/*
	 * top-down only: the children of the root are groups of samples with the same key of the
	 * dimension @group, and the stacks begin below them. The profile must have been read with
	 * the option stacks_apart, too, and with by_cpu if @group is BY_CPU.
	 */
	bool grouped;
	enum dimension group;
};

/* Returns 0 or -ENOMEM. Call call_tree_fini() in both cases. */
int call_tree_make(const struct profile *profile, const struct call_tree_options *options,
		   struct call_tree *ret_tree);
void call_tree_fini(struct call_tree *tree);

static inline uint64_t call_node_rank(const struct call_tree *tree, uint32_t node)
{
	return count_rank(&tree->nodes.at[node].total, tree->by_weight);
}

/* Returns the count of all samples in the tree. The shares of all nodes are relative to it. */
static inline const struct count *call_tree_total(const struct call_tree *tree)
{
	return &tree->nodes.at[CALL_TREE_ROOT].total;
}

/*
 * Returns the node that follows @node in depth-first order, or 0 at the end. Skips the children of
 * node i if @selected[i] is false. If @selected is NULL, skips nothing.
 */
uint32_t call_tree_next(const struct call_tree *tree, uint32_t node, const bool *selected);

/*
 * Selects the nodes to show. Returns an array with one element for each node, which is true if the
 * node is selected. Of the nodes with a rank of at least @min_rank and a depth of at most
 * @depth_max (0: any), selects the @limit (0: all) nodes with the highest ranks. The parent of a
 * selected node is also selected. Returns NULL if out of memory. The caller frees the array.
 */
bool *call_tree_select(const struct call_tree *tree, uint64_t min_rank, uint32_t depth_max,
		       size_t limit);

#endif
