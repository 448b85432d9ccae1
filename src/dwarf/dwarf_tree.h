/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_tree.h - the tree of a unit: which functions, inlined in which, cover an address
 *
 * Private to src/elf. The tree is read once. Subtrees that cannot hold code and functions that
 * cover no query are skipped if a DW_AT_sibling gives the position of the next entry. If some
 * queries are still without a function afterwards, the tree is read again without skipping
 * anything, to find functions inside other functions and inside the classes of functions.
 */
#ifndef ASSAY_DWARF_DWARF_TREE_H
#define ASSAY_DWARF_DWARF_TREE_H

#include "dwarf/dwarf_query.h"

/*
 * A function or inlined function that covers a query. Its id is its index in nodes; index 0 means
 * no node.
 */
struct dwarf_node {
	uint32_t parent;	/* node that it is inlined into; smaller than its own id */
	bool inlined;
	uint64_t offset;	/* offset of its entry */
	uint64_t call_file, call_line;	/* of the inlined call; call_file as in the line program */
	uint32_t name;		/* id that the sink returned */
	bool has_name;
};

struct dwarf_tree {
	VEC(struct dwarf_node) nodes;
	struct dwarf_ranges ranges;
};

/*
 * Sets the innermost node of each query. @tree can be reused for another unit. After -EBADMSG the
 * nodes read before the damage are usable.
 */
int dwarf_tree_read(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		    struct dwarf_tree *tree);
void dwarf_tree_fini(struct dwarf_tree *tree);

/* Returns the name of a node's function, or "". */
int dwarf_tree_name(const struct dwarf_cu *cu, const struct dwarf_node *node,
		    char ret_text[static DWARF_TEXT_MAX]);

#endif
