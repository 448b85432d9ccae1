/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_tree-private.h - the two ways to build a call tree
 */
#ifndef ASSAY_ANALYZE_CALL_TREE_PRIVATE_H
#define ASSAY_ANALYZE_CALL_TREE_PRIVATE_H

#include "analyze/call_tree.h"

static inline size_t call_tree_nodes_max(const struct call_tree_options *options)
{
	return options->nodes_max ? options->nodes_max : CALL_TREE_NODES_MAX;
}

/*
 * Adds a child of @parent (the root is its own parent), not yet linked. Returns NULL if out of
 * memory.
 */
struct call_node *call_tree_add(struct call_tree *tree, uint32_t parent, uint64_t frame);

/* Inverts @top_down into @tree, which has only its root. The caller links the nodes. */
int call_tree_invert(const struct call_tree *top_down, const struct call_tree_options *options,
		     struct call_tree *tree);

#endif
