/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_names.h - what rows of two recordings are matched by
 *
 * Ids and addresses differ from run to run, names do not.  Both recordings enter what they call
 * things here and get equal ids for equal names: a name is a text and, for a function, the file
 * name of its image; a path is a function and the path that called it.
 *
 * Id 0 of both is none.  Texts are cut at STRPOOL_MAX bytes, as those of a recording are.
 */
#ifndef ASSAY_ANALYZE_DIFF_NAMES_H
#define ASSAY_ANALYZE_DIFF_NAMES_H

#include "base/strpool.h"

struct diff_name {
	uint32_t image;		/* strings; image 0 where a text is all there is */
	uint32_t text;
};

struct diff_path {
	uint32_t caller;	/* path, with a smaller id; 0: it is outermost */
	uint32_t name;
};

struct diff_names {
	struct strpool strings;
	VEC(struct diff_name) names;
	VEC(struct diff_path) paths;
	struct intern name_index, path_index;
};

/* All: 0 or -ENOMEM; diff_names_fini() after any. */
int diff_names_init(struct diff_names *names);
int diff_names_enter(struct diff_names *names, const char *image, const char *text,
		     uint32_t *ret_name);
int diff_names_enter_path(struct diff_names *names, uint32_t caller, uint32_t name,
			  uint32_t *ret_path);
void diff_names_fini(struct diff_names *names);

/* Valid until the next one is entered. */
const char *diff_name_text(const struct diff_names *names, uint32_t name);
const char *diff_name_image(const struct diff_names *names, uint32_t name);

#endif
