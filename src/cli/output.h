/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - opens the file for a command's results: one that the user chose, or standard output
 *
 * The file is opened before the work starts, so that the user learns about an unwritable file
 * before a long run and not after. The file's old content is kept until output_begin().
 */
#ifndef ASSAY_CLI_OUTPUT_H
#define ASSAY_CLI_OUTPUT_H

#include <stdio.h>

/*
 * Opens @path, or returns standard output if @path is NULL. On failure prints a message and returns
 * NULL.
 */
FILE *output_open(const char *path);

/* Truncates the file. Call this before writing the first byte of the new content. */
void output_begin(FILE *out, const char *path);

/*
 * Closes the file. Returns @status, with one exception: if @status is EXIT_OK but not all output
 * could be written, prints a message and returns EXIT_FAILED.
 */
int output_close(FILE *out, const char *path, int status);

#endif
