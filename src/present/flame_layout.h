/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_layout.h - where the boxes of a flame graph stand
 *
 * A box is a node of a top-down call tree: its row is the node's depth, its width the node's
 * total, and it stands above its caller's box, from that one's left edge on, behind what the
 * caller called more.  What is left of a box's width above it is the function's own share and
 * whatever was too small to be drawn.
 *
 * Widths are in units, of which the root has at most FLAME_UNITS: whole samples where there
 * are fewer than that, and never more than a float can tell apart, as that is what browsers
 * calculate with.
 *
 * Which nodes are drawn is bounded twice: by share, as nobody can see a twentieth of a pixel,
 * and by the bytes that the boxes and their rows take, the larger ones first, so that a recording
 * of millions of paths, or of one without an end, still makes a file that opens at once.
 *
 * Counts may be forged, and need not add up: a box ends where its caller's does at the latest.
 */
#ifndef ASSAY_PRESENT_FLAME_LAYOUT_H
#define ASSAY_PRESENT_FLAME_LAYOUT_H

#include "analyze/call_tree.h"

#define FLAME_UNITS (1u << 24)

struct flame_box {
	uint32_t node;		/* of the tree */
	uint32_t row;		/* the root's is 0 */
	uint32_t start, width;	/* units */
};

struct flame_limits {
	double min_share;	/* nodes with less are left out */
	size_t bytes_max;	/* of all boxes but the root's; 0: any number */
	size_t bytes_each;	/* of a box, but for its names */
	size_t bytes_row;	/* more, of each row of boxes */
	/* Those of the names of @node; only called when bytes_max is set. */
	size_t (*bytes_of)(const struct call_tree *tree, uint32_t node);
};

struct flame_layout {
	VEC(struct flame_box) boxes;	/* row by row, and from left to right */
	uint32_t row_count;
	uint32_t units;			/* the root's width */
	size_t left_out;		/* nodes without a box */
};

/* Of a tree from the top down; 0 or -ENOMEM; flame_layout_fini() after either. */
int flame_layout_make(const struct call_tree *tree, const struct flame_limits *limits,
		      struct flame_layout *ret_layout);
void flame_layout_fini(struct flame_layout *layout);

#endif
