/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_tree.h - the tree of a unit: which function, and which inlined into which, holds an address
 *
 * Private to this room.  The tree is read once.  Subtrees that can hold no code and functions that
 * cover no query are passed over where a DW_AT_sibling says how; only when queries stay without
 * a function is all of it read (functions in functions, classes in functions).
 */
#ifndef ASSAY_DWARF_DWARF_TREE_H
#define ASSAY_DWARF_DWARF_TREE_H

#include "dwarf/dwarf_query.h"

/* A function, or an inlined one, that covers a query. Its id is its index; [0] is none. */
struct dwarf_node {
	uint32_t parent;	/* what it is inlined into; smaller than its own id */
	bool inlined;
	uint64_t offset;	/* of its entry */
	uint64_t call_file, call_line;	/* where it is inlined: call_file as in the line program */
	uint32_t name;		/* the id its reader gave it */
	bool has_name;
};

struct dwarf_tree {
	VEC(struct dwarf_node) nodes;
	struct dwarf_ranges ranges;
};

/* Enters the innermost node of each query. The tree can be used again; -EBADMSG as above. */
int dwarf_tree_read(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		    struct dwarf_tree *tree);
void dwarf_tree_fini(struct dwarf_tree *tree);

/* The name of a node's function, "" where it has none. */
int dwarf_tree_name(const struct dwarf_cu *cu, const struct dwarf_node *node,
		    char ret_text[static DWARF_TEXT_MAX]);

#endif
