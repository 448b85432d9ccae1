/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - the destination of figures: a file that the user chose, or standard output
 *
 * The file is opened at the start, so that an unwritable file is reported before a long run and not
 * after. Its old content stays until there is something to replace it with.
 */
#ifndef ASSAY_CLI_OUTPUT_H
#define ASSAY_CLI_OUTPUT_H

#include <stdio.h>

/*
 * Opens @path, or returns standard output if @path is NULL. On failure prints a message and returns
 * NULL.
 */
FILE *output_open(const char *path);

/* Truncates the file. Call this before writing the first byte. */
void output_begin(FILE *out, const char *path);

/*
 * Closes the file. If not everything could be written, prints a message and returns EXIT_FAILED if
 * @status was EXIT_OK. Otherwise returns @status.
 */
int output_close(FILE *out, const char *path, int status);

#endif
