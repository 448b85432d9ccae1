/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stat_compare.h - implements `assay stat --diff BEFORE AFTER`, which compares two saved results */
#ifndef ASSAY_CLI_STAT_COMPARE_H
#define ASSAY_CLI_STAT_COMPARE_H

#include "cli/stat_options.h"

/* Returns the exit status: EXIT_NO_MATCH if the two files have no counter in common. */
int stat_compare(const struct stat_arguments *arguments);

#endif
