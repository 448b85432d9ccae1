/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * temp.h - a directory of files that a test makes and removes
 *
 * Anything that cannot be made ends the test by abort().
 */
#ifndef ASSAY_TESTS_TEMP_H
#define ASSAY_TESTS_TEMP_H

#include <stddef.h>

#include "base/vec.h"

struct temp_dir {
	char path[64];
	VEC(char *) names;	/* of files and directories made, in that order */
};

struct temp_dir temp_dir_make(void);

/* A file of this content below the directory, with the directories on its way; its path. */
const char *temp_file(struct temp_dir *dir, const char *name, const void *bytes, size_t size_bytes);

void temp_dir_remove(struct temp_dir *dir);

#endif
