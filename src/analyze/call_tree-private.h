/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_tree-private.h - shared by the builders of top-down and bottom-up call trees */
#ifndef ASSAY_ANALYZE_CALL_TREE_PRIVATE_H
#define ASSAY_ANALYZE_CALL_TREE_PRIVATE_H

#include "analyze/call_tree.h"

static inline size_t call_tree_nodes_max(const struct call_tree_options *options)
{
	return options->nodes_max ? options->nodes_max : CALL_TREE_NODES_MAX;
}

/*
 * Adds a child of @parent (the root is its own parent) to the array of nodes, without linking it to
 * its siblings. Returns NULL if out of memory.
 */
struct call_node *call_tree_add(struct call_tree *tree, uint32_t parent, uint64_t frame);

/*
 * Adds the nodes of the bottom-up form of @top_down to @tree, which must have only its root. Does
 * not link them to their siblings; the caller must do this. Returns 0 or -ENOMEM.
 */
int call_tree_invert(const struct call_tree *top_down, const struct call_tree_options *options,
		     struct call_tree *tree);

#endif
