/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_svg.h - writes a call tree as a flame graph in one SVG file
 *
 * Each node is a box whose width is its share, above its caller's box (below it in an icicle). The
 * file is self-contained. Without scripts it shows the boxes, the names that fit into them and
 * tooltips. With its script (flame.js) it can be zoomed, searched and flipped, by mouse or
 * keyboard.
 *
 * Names are untrusted. They appear in the file only as text, escaped by escape_xml(), and never in
 * an attribute, a script or a style, so the file is well-formed whatever the names are. The script
 * also treats names only as text. As a second protection, the file has a content security policy,
 * which lists the digests of the script and the style. Browsers apply such a policy if it is in the
 * head of a document, and they accept an HTML head at any place. So the SVG element <metadata>
 * contains an HTML head with the policy. The file loads nothing from elsewhere.
 */
#ifndef ASSAY_PRESENT_FLAME_SVG_H
#define ASSAY_PRESENT_FLAME_SVG_H

#include <stdio.h>

#include "analyze/path_change.h"

#define FLAME_PIXELS 1180	/* width of the root's box in pixels; the script can change it */
#define FLAME_LEAST_SHARE (0.05 / FLAME_PIXELS)	/* boxes with a smaller share are not visible */
/* changes of boxes with a smaller share are not tested */
#define FLAME_TESTED_SHARE (1.0 / FLAME_PIXELS)
#define FLAME_BYTES_MAX 1900000 /* maximum bytes of all boxes if the user gave no minimum share */

enum flame_view { FLAME_BY_IMAGE, FLAME_BY_CONTEXT, FLAME_BY_CHANGE, FLAME_VIEW_COUNT };

struct flame_options {
	/*
	 * The title is @title followed by @subtitle, both unescaped. If they do not fit into the
	 * picture, @title is shortened first. @subtitle may be NULL.
	 */
	const char *title, *subtitle;
	const char *note;		/* a line below the legend; NULL: none */
	enum flame_view view;	/* view that the file shows when it is opened */
	bool icicle;
	/* minimum share of a box; negative: leave out only boxes that are too small to see */
	double min_share;
	/* change of each node since the other recording; NULL: there is only one recording */
	const struct path_change *changes;
};

/*
 * Writes the top-down tree @tree to @out. The caller checks the error state of @out. Returns 0 or
 * -ENOMEM.
 */
int flame_svg(const struct call_tree *tree, const struct flame_options *options, FILE *out);

#endif
