/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_main.h - prints source files with the samples of each line
 *
 * Implements `assay annotate --source`.
 */
#ifndef ASSAY_CLI_SOURCE_MAIN_H
#define ASSAY_CLI_SOURCE_MAIN_H

#include "cli/annotate_main.h"

/*
 * Prints the source files to stdout and errors to stderr. Returns the same exit status as
 * annotate_print().
 */
int source_print(const char *path, const struct annotate_options *options);

#endif
