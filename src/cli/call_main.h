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
 * Prints the profile as one command shows it, for example as a tree, in the format that @style
 * selects. Returns 0, CALL_NO_MATCH or -ENOMEM.
 */
typedef int (*call_print_fn)(const struct profile *profile, const struct call_style *style,
			     const void *context, FILE *out);

#define CALL_NO_MATCH 1		/* the profile contains nothing that the command asked for */

/*
 * Loads the recording and prints it with @print, which is called with @context. If the user gave no
 * limit, text output has at most @text_limit lines (0: unlimited). Returns the exit status, which
 * is 3 if no sample matches the filter.
 */
int call_main(const struct call_options *options, size_t text_limit, call_print_fn print,
	      const void *context);

#endif
