/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_main.h - from a recording's path and a name to source files with the samples of each line
 *
 * What `assay annotate --source` does.
 */
#ifndef ASSAY_CLI_SOURCE_MAIN_H
#define ASSAY_CLI_SOURCE_MAIN_H

#include "cli/annotate_main.h"

/* Prints to stdout, errors to stderr; the exit status is that of annotate_print(). */
int source_print(const char *path, const struct annotate_options *options);

#endif
