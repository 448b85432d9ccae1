/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_file.h - replaces a file only once the new content is complete
 *
 * The new content is written to a temporary file in the same directory, with the mode of the old
 * file, and the temporary file is renamed at the end. After a failure, the old file is unchanged.
 * Devices and pipes are written directly, as is an existing file in a directory where no file can
 * be created.
 */
#ifndef ASSAY_CLI_OUTPUT_FILE_H
#define ASSAY_CLI_OUTPUT_FILE_H

#include <limits.h>
#include <stdio.h>

#include "base/err.h"

struct output_file {
	FILE *out;
	char *buffer;		/* buffer of @out; the default stdio buffer is a single page */
	const char *asked;	/* the path as the user gave it */
	char path[PATH_MAX];
	char part[PATH_MAX];	/* name of the temporary file; "" if @path is written directly */
};

/* Returns 0, or a negative errno; after an error there is nothing to close. */
int output_file_open(struct output_file *file, const char *path, struct err *err);

/*
 * Finishes the file. @rc is the result of writing the content: if it is negative, the new content
 * is thrown away and @rc is returned. Otherwise returns 0 or the error of closing or renaming.
 */
int output_file_close(struct output_file *file, int rc, struct err *err);

#endif
