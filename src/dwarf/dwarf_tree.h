/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_tree.h - reads the tree of a unit to find the functions and inlined functions at each
 * address
 *
 * Private to src/dwarf. The first reading skips two kinds of subtrees: those that usually contain
 * no code, and functions that contain no queried address. It can skip a subtree only if a
 * DW_AT_sibling gives the position of the next entry. If some queries still have no function
 * afterwards, the tree is read again and nothing is skipped. The second reading finds functions
 * that are nested inside other functions, or inside classes that are local to a function.
 */
#ifndef ASSAY_DWARF_DWARF_TREE_H
#define ASSAY_DWARF_DWARF_TREE_H

#include "dwarf/dwarf_query.h"

/*
 * A function or inlined function that covers a query. The id of a node is its index in
 * dwarf_tree.nodes. Id 0 means "no node".
 */
struct dwarf_node {
	/*
	 * id of the node of the function into which this function is inlined; smaller than the id
	 * of this node; 0: none
	 */
	uint32_t parent;
	bool inlined;
	uint64_t offset;	/* offset of the function's entry in .debug_info */
	/*
	 * position of the call that was inlined: file number (in the line program's file table),
	 * line number
	 */
	uint64_t call_file, call_line;
	uint32_t name;		/* id that sink->name() returned */
	bool has_name;
};

struct dwarf_tree {
	VEC(struct dwarf_node) nodes;
	struct dwarf_ranges ranges;
};

/*
 * Finds the innermost function of each query, and sets query->node to its node. @tree can be used
 * again for another unit. After -EBADMSG, the nodes of the entries that precede the damage are
 * usable.
 */
int dwarf_tree_read(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		    struct dwarf_tree *tree);
void dwarf_tree_fini(struct dwarf_tree *tree);

/* Returns the name of a node's function, or "". */
int dwarf_tree_name(const struct dwarf_cu *cu, const struct dwarf_node *node,
		    char ret_text[static DWARF_TEXT_MAX]);

#endif
