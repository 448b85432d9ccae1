/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_file.h - replaces a file only after the new content is complete
 *
 * The new content is written to a temporary file in the same directory, with the mode of the old
 * file. At the end, the temporary file is renamed to replace the old file. After a failure, the old
 * file is unchanged.
 *
 * The following are opened and written directly, without a temporary file:
 * - devices and pipes
 * - an existing file in a directory in which no file can be created
 * - an existing file without write permission; opening it fails
 * - a symbolic link to a file that does not exist yet
 */
#ifndef ASSAY_CLI_OUTPUT_FILE_H
#define ASSAY_CLI_OUTPUT_FILE_H

#include <limits.h>
#include <stdio.h>

#include "base/err.h"

struct output_file {
	FILE *out;
	/* large buffer for @out, because the default stdio buffer is a single page */
	char *buffer;
	const char *asked;	/* the path as the user gave it */
	char path[PATH_MAX];
	char part[PATH_MAX];	/* name of the temporary file; "" if @path is written directly */
};

/* Returns 0, or a negative errno; after an error there is nothing to close. */
int output_file_open(struct output_file *file, const char *path, struct err *err);

/*
 * Closes the file. @rc is 0, or a negative errno if the caller failed to write the content. If @rc
 * is negative, discards the new content and returns @rc. If @rc is 0, puts the new content in place
 * and returns 0, or the error of closing or renaming the file.
 */
int output_file_close(struct output_file *file, int rc, struct err *err);

#endif
