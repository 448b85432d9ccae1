/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - where figures go: a file of the user's choice, or standard output
 *
 * The file is opened at the start, so that nobody waits for a run whose figures cannot be kept,
 * but what it holds stays until there is something to put in its place.
 */
#ifndef ASSAY_CLI_OUTPUT_H
#define ASSAY_CLI_OUTPUT_H

#include <stdio.h>

/* @path NULL: standard output. NULL after a message. */
FILE *output_open(const char *path);

/* Empties the file, before the first byte. */
void output_begin(FILE *out, const char *path);

/* EXIT_FAILED after a message where not all could be written and @status is EXIT_OK; else
   @status. */
int output_close(FILE *out, const char *path, int status);

#endif
