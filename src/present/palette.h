/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * palette.h - colors of names on a terminal
 *
 * As in a flame graph, a name has the color of its image: the kernel, modules and BPF programs have
 * one color each, and so does each of the user images with the most samples. All other names keep
 * the color of the terminal. The colors are those that every terminal has, so that the user's own
 * scheme makes them readable. Colors only repeat what the text says.
 */
#ifndef ASSAY_PRESENT_PALETTE_H
#define ASSAY_PRESENT_PALETTE_H

#include "analyze/profile.h"

#define PALETTE_END "\033[0m"
#define PALETTE_TITLE "\033[1m"
#define PALETTE_MARK "\033[33m"
#define PALETTE_WARNING "\033[1;31m"

struct palette {
	uint8_t *colors;	/* by image id */
	size_t count;
};

/* Chooses the colors for the samples of one event. Returns 0 or -ENOMEM. */
int palette_make(const struct profile *profile, uint8_t event, struct palette *ret_palette);
void palette_fini(struct palette *palette);

/* Returns the escape sequence that begins the color of an image, or "" if it has no color. */
const char *palette_of_image(const struct palette *palette, uint64_t image);

#endif
