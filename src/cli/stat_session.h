/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_session.h - counting: from the options to printed figures
 */
#ifndef ASSAY_CLI_STAT_SESSION_H
#define ASSAY_CLI_STAT_SESSION_H

#include "cli/stat_options.h"

/* Counts, prints and says what is wrong. The exit status: the command's, if there is one. */
int stat_session(const struct stat_options *options);

#endif
