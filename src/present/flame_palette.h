/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_palette.h - chooses the colors of the boxes of a flame graph
 *
 * A color is a class of flame.css. Each box has two colors, one by image and one by context. By
 * image, the kernel, modules and BPF programs have colors of their own, then the user images with
 * the largest self time; all other images share one. By context, code in user mode has the color
 * "user". Kernel code has the color of the context that more than half of its samples share, if
 * there is one. "x" is the class of boxes that are not functions.
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
	FLAME_USER,	/* this and the following ones: user images by rank */
	FLAME_OTHER = FLAME_USER + 7,
	FLAME_COLOR_COUNT
};

struct flame_palette {
	const struct call_tree *tree;
	uint8_t *images;		/* by image id: enum flame_color */
	uint32_t named[FLAME_COLOR_COUNT];	/* the image with a color of its own, else 0 */
	bool used[FLAME_COLOR_COUNT];
	uint8_t *contexts;		/* by node: enum context, or CONTEXT_COUNT */
};

/*
 * Chooses colors for a top-down tree. Returns 0 or -ENOMEM. Call flame_palette_fini() in both
 * cases.
 */
int flame_palette_make(const struct call_tree *tree, struct flame_palette *ret_palette);
void flame_palette_fini(struct flame_palette *palette);

enum flame_color flame_palette_color(const struct flame_palette *palette, uint32_t node);
const char *flame_color_class(enum flame_color color);

/* Returns the file name of a color's image, or a description of its images, unescaped. */
const char *flame_palette_label(const struct flame_palette *palette, enum flame_color color);

#endif
