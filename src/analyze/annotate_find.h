/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_find.h - which functions somebody means
 *
 *	0x401a30		the function that covers the address
 *	memcpy			functions of that very name, demangled or as in the file
 *	libc.so.6		all functions of that image, by path or file name
 *	^mem.*			functions whose name matches the extended regular expression
 *	libc.so.6:memcpy	any of the first and the last two, of that image alone
 * The first line that finds something counts.  Only functions with samples are looked at: the
 * others have nothing to show.
 */
#ifndef ASSAY_ANALYZE_ANNOTATE_FIND_H
#define ASSAY_ANALYZE_ANNOTATE_FIND_H

#include "analyze/group.h"

/* ANNOTATE_PLACE: a source line, see source_find.h. */
enum annotate_by { ANNOTATE_NOTHING, ANNOTATE_SYMBOL, ANNOTATE_IMAGE, ANNOTATE_PLACE };

struct annotate_found {
	enum annotate_by by;
	VEC(struct group_row) functions;	/* key[0]: the function's id; highest rank first */
	struct count total;			/* of the selection */
};

/* 0; -EINVAL for what is no regular expression; -ENOMEM. annotate_found_fini() after any. */
int annotate_find(const struct profile *profile, const struct group_selection *selection,
		  const char *text, struct annotate_found *ret_found, struct err *err);
void annotate_found_fini(struct annotate_found *found);

/*
 * What names that one alone: "IMAGE:NAME", or "IMAGE:0xADDR" where several functions of the
 * image have that name. Unescaped.
 */
void annotate_choice(const struct profile *profile, const struct annotate_found *found, size_t row,
		     char *text, size_t size_bytes);

#endif
