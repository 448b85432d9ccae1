/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_search.h - finds the file that the user means by the name of an image
 *
 * A name with a '/' is a path. Any other name is looked for, in this order:
 * - among the files that the given processes have mapped
 * - among the programs in $PATH, which the caller passes
 * - among the libraries in the usual directories
 * "libc.so.6", "libc" and "c" all mean libc.so.6.
 */
#ifndef ASSAY_STOPWATCH_IMAGE_SEARCH_H
#define ASSAY_STOPWATCH_IMAGE_SEARCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct image_search {
	const char *name;
	const uint32_t *tgids;		/* borrowed */
	size_t tgid_count;
	const char *program_dirs;	/* separated by ':'; NULL: none */
};

/*
 * Opens the file. Writes where it is to @ret_path. Returns the descriptor, or a negative errno with
 * a message: -ENOENT if there is no such file.
 */
int image_search_open(const struct image_search *search, char ret_path[static PATH_MAX],
		      struct err *err);

/* Returns true if a file called @file_name can be meant by @name. */
bool image_search_matches(const char *name, const char *file_name);

#endif
