/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_svg.h - a call tree as a flame graph, in one file of SVG
 *
 * Each node is a box as wide as its share, above its caller's (below it as an icicle).  The file
 * needs nothing else: without a script it shows boxes, the names that fit them and tooltips;
 * with one (flame.js) it is zoomed, searched and turned around, by mouse or keyboard.
 *
 * Names are hostile.  They stand in the file as text only, through escape_xml(), never in an
 * attribute, a script or a style, so that it is well-formed whatever they are; the script treats
 * them as text, too.  On top of that a content security policy names the digests of script and
 * style: browsers apply one that stands in the head of a document, and look for a head of HTML
 * anywhere, so there is one among the metadata.  Nothing is loaded from anywhere.
 */
#ifndef ASSAY_PRESENT_FLAME_SVG_H
#define ASSAY_PRESENT_FLAME_SVG_H

#include <stdio.h>

#include "analyze/path_change.h"

#define FLAME_PIXELS 1180	/* width of the root where there is no script */
#define FLAME_LEAST_SHARE (0.05 / FLAME_PIXELS)	/* a box below is not seen */
#define FLAME_TESTED_SHARE (1.0 / FLAME_PIXELS)	/* changes below need not be looked for */
#define FLAME_BYTES_MAX 1900000 /* of the boxes, unless a least share is given */

enum flame_view { FLAME_BY_IMAGE, FLAME_BY_CONTEXT, FLAME_BY_CHANGE, FLAME_VIEW_COUNT };

struct flame_options {
	const char *title;	/* unescaped */
	enum flame_view view;	/* to begin with */
	bool icicle;
	double min_share;	/* negative: what is too small to be seen is left out */
	const struct path_change *changes;	/* by node; NULL: one recording only */
};

/*
 * @tree is from the top down. Writes to @out and leaves its error state for cli to look at; 0 or
 * -ENOMEM.
 */
int flame_svg(const struct call_tree *tree, const struct flame_options *options, FILE *out);

#endif
