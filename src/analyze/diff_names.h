/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_names.h - names that match the rows of two recordings
 *
 * Ids and addresses differ from run to run, but names do not. The names of both recordings are
 * added here, and equal names get equal ids. A name is a text and, for a function, the file name of
 * its image. A path is a function's name and the id of the path that called it.
 *
 * Id 0 means "none" for names and for paths. Texts are cut at STRPOOL_MAX bytes, like the texts of
 * a recording.
 */
#ifndef ASSAY_ANALYZE_DIFF_NAMES_H
#define ASSAY_ANALYZE_DIFF_NAMES_H

#include "base/strpool.h"

struct diff_name {
	/* image and text are string ids; image is 0 if the name has no image */
	uint32_t image;
	uint32_t text;
};

struct diff_path {
	/* id of the calling path, which is smaller than this path's id; 0: outermost */
	uint32_t caller;
	uint32_t name;
};

struct diff_names {
	struct strpool strings;
	VEC(struct diff_name) names;
	VEC(struct diff_path) paths;
	struct intern name_index, path_index;
};

/*
 * diff_names_init(), diff_names_enter() and diff_names_enter_path() return 0 or -ENOMEM. Call
 * diff_names_fini() after success and failure.
 */
int diff_names_init(struct diff_names *names);
int diff_names_enter(struct diff_names *names, const char *image, const char *text,
		     uint32_t *ret_name);
int diff_names_enter_path(struct diff_names *names, uint32_t caller, uint32_t name,
			  uint32_t *ret_path);
void diff_names_fini(struct diff_names *names);

/* The returned string is valid until the next name is added. */
const char *diff_name_text(const struct diff_names *names, uint32_t name);
const char *diff_name_image(const struct diff_names *names, uint32_t name);

#endif
