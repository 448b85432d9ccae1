/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_find.h - finds the functions that match a text typed by the user
 *
 *	0x401a30		the function that covers the address
 *	memcpy			functions of exactly that name, demangled or as in the file
 *	libc.so.6		all functions of that image, by path or file name
 *	mem*, /^mem/		functions whose name matches the pattern (base/pattern.h)
 *	libc.so.6:memcpy	an address, name or pattern, searched for in that image only
 *
 * If the text begins with the name of an image and a colon, only that image is searched, for the
 * rest of the text. The forms are tried in the order of the list, and the first form that finds a
 * function is used. Only functions with samples are searched, because functions without samples
 * have nothing to show.
 */
#ifndef ASSAY_ANALYZE_ANNOTATE_FIND_H
#define ASSAY_ANALYZE_ANNOTATE_FIND_H

#include "analyze/group.h"

/*
 * How the user's text was understood: as nothing (no match), as a function (address, name or
 * pattern), as an image, or as a place in the source code (source_find.h).
 */
enum annotate_by { ANNOTATE_NOTHING, ANNOTATE_SYMBOL, ANNOTATE_IMAGE, ANNOTATE_PLACE };

struct annotate_found {
	enum annotate_by by;
	/* the rows of the functions found, highest rank first; key[0] is the function's id */
	VEC(struct group_row) functions;
	struct count total;			/* all samples of the selection */
};

/*
 * Returns 0, -ENOMEM, or -EINVAL if @text has a regular expression that is not valid. Call
 * annotate_found_fini() in all cases.
 */
int annotate_find(const struct profile *profile, const struct group_selection *selection,
		  const char *text, struct annotate_found *ret_found, struct err *err);
void annotate_found_fini(struct annotate_found *found);

/*
 * Writes a text for which annotate_find() would find only the function of @row: "IMAGE:NAME", or
 * "IMAGE:0xADDR" if several functions of the image have that name. The text is not escaped.
 */
void annotate_choice(const struct profile *profile, const struct annotate_found *found, size_t row,
		     char *text, size_t size_bytes);

#endif
