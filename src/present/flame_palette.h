/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_palette.h - chooses the colors of the boxes of a flame graph
 *
 * A color is the name of a CSS class in flame.css. Each box has two colors, one by image (the file
 * that contains the function) and one by context.
 *
 * By image, the kernel has one color, all modules share a color, and all BPF programs share a
 * color. Each of the user images with the largest self time has a color of its own. All other
 * images share one color.
 *
 * By context, code in user mode has the color "user". Kernel code has the color of the context to
 * which more than half of its samples belong. If no context has more than half, the color is that
 * of one of the contexts of its samples, or "kernel".
 *
 * Boxes that tell the state of a waiting thread (metric.h) have a color for that state in both
 * cases. Boxes that are not functions, and boxes of time without samples, have the class "x".
 *
 * Private to present/.
 */
#ifndef ASSAY_PRESENT_FLAME_PALETTE_H
#define ASSAY_PRESENT_FLAME_PALETTE_H

#include "analyze/call_tree.h"

enum flame_color {
	FLAME_NO_IMAGE,
	FLAME_KERNEL,
	FLAME_MODULE,
	FLAME_BPF,
	FLAME_RUNNABLE,
	FLAME_BLOCKED,
	FLAME_BLOCKED_IO,
	FLAME_USER,	/* first of the colors for user images, which are ranked by self time */
	FLAME_OTHER = FLAME_USER + 7,
	FLAME_COLOR_COUNT
};

struct flame_palette {
	const struct call_tree *tree;
	uint8_t *images;		/* indexed by image id; values are of enum flame_color */
	/*
	 * indexed by color: the only image that has this color; 0: none, or several images share it
	 */
	uint32_t named[FLAME_COLOR_COUNT];
	bool used[FLAME_COLOR_COUNT];
	uint32_t state_image;		/* see metric_state_image() */
	/* indexed by tree node; a value of enum context, or CONTEXT_COUNT for none */
	uint8_t *contexts;
};

/*
 * Chooses colors for a top-down tree. Returns 0 or -ENOMEM. Call flame_palette_fini() in both
 * cases.
 */
int flame_palette_make(const struct call_tree *tree, struct flame_palette *ret_palette);
void flame_palette_fini(struct flame_palette *palette);

enum flame_color flame_palette_color(const struct flame_palette *palette, uint32_t node);
const char *flame_color_class(enum flame_color color);

/*
 * Returns the legend's text for a color: the file name of its image, or a description of the images
 * that share it. The text is unescaped.
 */
const char *flame_palette_label(const struct flame_palette *palette, enum flame_color color);

#endif
