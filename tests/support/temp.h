/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * temp.h - a temporary directory with files for a test
 *
 * If a file or directory cannot be created, abort() ends the test.
 */
#ifndef ASSAY_TESTS_TEMP_H
#define ASSAY_TESTS_TEMP_H

#include <stddef.h>

#include "base/vec.h"

struct temp_dir {
	char path[64];
	VEC(char *) names;	/* created files and directories, in order of creation */
};

struct temp_dir temp_dir_make(void);

/*
 * Creates a file with this content in the directory, and the subdirectories in @name. Returns its
 * path.
 */
const char *temp_file(struct temp_dir *dir, const char *name, const void *bytes, size_t size_bytes);

void temp_dir_remove(struct temp_dir *dir);

#endif
