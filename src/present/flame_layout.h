/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_layout.h - computes the positions of the boxes of a flame graph
 *
 * A box is a node of a top-down call tree. The box's row is the node's depth, and its width is the
 * node's total. Each box lies above its caller's box. The boxes of a function's callees start at
 * the left edge of the function's box, in order of descending total. A part of a box may have no
 * box above it. This part is the function's self share plus the shares of all callees that were too
 * small to draw.
 *
 * Widths are in units; the root's width is at most FLAME_UNITS. If there are fewer than FLAME_UNITS
 * samples, a unit is one sample. FLAME_UNITS is small enough for a float to represent every width
 * exactly, because browsers calculate with floats.
 *
 * Two limits decide which nodes are drawn:
 * - A minimum share, because a box with a width of a twentieth of a pixel is not visible.
 * - A maximum size, in bytes, of all boxes and rows in the output. The nodes with the largest
 *   totals are drawn until this size is reached. So even a recording with millions of paths or with
 *   endless recursion results in a file that opens immediately.
 *
 * The counts in a recording may be forged, so the totals of callees can exceed the total of their
 * caller. Even then, no box extends beyond its caller's box.
 */
#ifndef ASSAY_PRESENT_FLAME_LAYOUT_H
#define ASSAY_PRESENT_FLAME_LAYOUT_H

#include "analyze/call_tree.h"

#define FLAME_UNITS (1u << 24)

struct flame_box {
	uint32_t node;		/* node of the tree */
	uint32_t row;		/* the root has row 0 */
	uint32_t start, width;	/* left edge and width, in units */
};

struct flame_limits {
	double min_share;	/* nodes with a smaller share are left out */
	size_t bytes_max;	/* maximum bytes of all boxes except the root's; 0: no limit */
	size_t bytes_each;	/* bytes that each box takes in the output, without its names */
	size_t bytes_row;	/* additional bytes that each row of boxes takes in the output */
	/* Returns the size of the names of @node in bytes. Called only if bytes_max is set. */
	size_t (*bytes_of)(const struct call_tree *tree, uint32_t node);
};

struct flame_layout {
	VEC(struct flame_box) boxes;	/* row by row, from left to right */
	uint32_t row_count;
	uint32_t units;			/* width of the root */
	size_t left_out;		/* number of nodes without a box */
};

/* Lays out a top-down tree. Returns 0 or -ENOMEM. Call flame_layout_fini() in both cases. */
int flame_layout_make(const struct call_tree *tree, const struct flame_limits *limits,
		      struct flame_layout *ret_layout);
void flame_layout_fini(struct flame_layout *layout);

#endif
