/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_main.h - the common part of the commands tree, callgraph and peek
 *
 * Loads the recording and counts, for each stack, the samples that match the filter. Closes the
 * recording before it prints anything.
 */
#ifndef ASSAY_CLI_CALL_MAIN_H
#define ASSAY_CLI_CALL_MAIN_H

#include "cli/call_options.h"
#include "present/call.h"

/*
 * Prints the profile in the form of one command, for example as a tree. The output format is
 * style->format. Returns 0, CALL_NO_MATCH or -ENOMEM.
 */
typedef int (*call_print_fn)(const struct profile *profile, const struct call_style *style,
			     const void *context, FILE *out);

/* returned if no function in the profile matches the user's pattern */
#define CALL_NO_MATCH 1

/*
 * Loads the recording and calls @print with its profile and @context. If the user gave neither a
 * limit nor a minimum share, text output has a limit of @text_limit entries (0: unlimited) and a
 * default minimum share. Returns the exit status: 3 if no sample matches the filter, or if @print
 * returned CALL_NO_MATCH.
 */
int call_main(const struct call_options *options, size_t text_limit, call_print_fn print,
	      const void *context);

#endif
