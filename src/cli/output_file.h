/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_file.h - a file that takes the place of another when it is whole
 *
 * It is written under a name of its own beside the other, whose mode it gets, and renamed at the
 * end; what fails leaves the other as it was.  Devices and pipes are written themselves, and so is
 * a file in a directory where nothing can be created.
 */
#ifndef ASSAY_CLI_OUTPUT_FILE_H
#define ASSAY_CLI_OUTPUT_FILE_H

#include <limits.h>
#include <stdio.h>

#include "base/err.h"

struct output_file {
	FILE *out;
	char *buffer;		/* of out: what stdio takes by itself is a page */
	const char *asked;	/* as the user said it */
	char path[PATH_MAX];
	char part[PATH_MAX];	/* the name until it is whole; "": none */
};

/* 0, or a negative errno and nothing to be closed. */
int output_file_open(struct output_file *file, const char *path, struct err *err);

/* @rc: what the writing came to; below 0 the file is given up. That, or the error of the end. */
int output_file_close(struct output_file *file, int rc, struct err *err);

#endif
