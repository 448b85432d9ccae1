/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_palette.h - which colour the boxes of a flame graph have
 *
 * A colour is a class of flame.css.  Each box has one by image (kernel, modules and BPF programs
 * of their own, then the user images with the largest self time, then all others) and one by
 * context: user for code in user mode, and for the kernel's code the context that more than half
 * of the samples in it share, if any does.  "x" is what is no function.
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
	FLAME_USER,	/* and the ones behind it, by rank */
	FLAME_OTHER = FLAME_USER + 7,
	FLAME_COLOR_COUNT
};

struct flame_palette {
	const struct call_tree *tree;
	uint8_t *images;		/* by image id: enum flame_color */
	uint32_t named[FLAME_COLOR_COUNT];	/* the image of a color of its own, else 0 */
	bool used[FLAME_COLOR_COUNT];
	uint8_t *contexts;		/* by node: enum context, or CONTEXT_COUNT */
};

/* Of a tree from the top down; 0 or -ENOMEM; flame_palette_fini() after either. */
int flame_palette_make(const struct call_tree *tree, struct flame_palette *ret_palette);
void flame_palette_fini(struct flame_palette *palette);

enum flame_color flame_palette_color(const struct flame_palette *palette, uint32_t node);
const char *flame_color_class(enum flame_color color);

/* The file name of a color's image, or what is in it, unescaped. */
const char *flame_palette_label(const struct flame_palette *palette, enum flame_color color);

#endif
