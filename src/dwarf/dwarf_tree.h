/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_tree.h - reads the tree of a unit to find the functions and inlined functions at each
 * address
 *
 * Private to src/elf. The first reading skips subtrees that cannot contain code, and functions that
 * contain no queried address, if a DW_AT_sibling gives the position of the next entry. If some
 * queries still have no function afterwards, the tree is read again without skipping anything. The
 * second reading finds functions that are nested inside other functions or inside classes that are
 * local to a function.
 */
#ifndef ASSAY_DWARF_DWARF_TREE_H
#define ASSAY_DWARF_DWARF_TREE_H

#include "dwarf/dwarf_query.h"

/*
 * A function or inlined function that covers a query. Its id is its index in nodes; index 0 means
 * no node.
 */
struct dwarf_node {
	/*
	 * node of the function that this function is inlined into; always smaller than this node's
	 * id
	 */
	uint32_t parent;
	bool inlined;
	uint64_t offset;	/* offset of the function's entry */
	/* file number (in the line program's file table) and line number of the inlined call */
	uint64_t call_file, call_line;
	uint32_t name;		/* id of the name that the sink returned */
	bool has_name;
};

struct dwarf_tree {
	VEC(struct dwarf_node) nodes;
	struct dwarf_ranges ranges;
};

/*
 * Sets the innermost node of each query. @tree can be used again for another unit. After -EBADMSG,
 * the nodes of the entries that precede the damage are usable.
 */
int dwarf_tree_read(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		    struct dwarf_tree *tree);
void dwarf_tree_fini(struct dwarf_tree *tree);

/* Returns the name of a node's function, or "". */
int dwarf_tree_name(const struct dwarf_cu *cu, const struct dwarf_node *node,
		    char ret_text[static DWARF_TEXT_MAX]);

#endif
