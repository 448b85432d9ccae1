/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_main.h - prints stacks of a recording
 *
 * The common part of tree, callgraph and peek: loads the recording, counts the samples that match
 * the filter by stack, and closes the recording before anything is printed.
 */
#ifndef ASSAY_CLI_CALL_MAIN_H
#define ASSAY_CLI_CALL_MAIN_H

#include "cli/call_options.h"
#include "present/call.h"

/*
 * Prints a command's view of the profile in the format that @style selects. Returns 0,
 * CALL_NO_MATCH or -ENOMEM.
 */
typedef int (*call_print_fn)(const struct profile *profile, const struct call_style *style,
			     const void *context, FILE *out);

#define CALL_NO_MATCH 1		/* the profile contains nothing that the command asked for */

/*
 * Loads the recording and prints it with @print, which gets @context. @text_limit is the maximum
 * number of lines of text output unless the user chose a limit; 0 means unlimited. Returns the exit
 * status: 3 if no sample matches the filter.
 */
int call_main(const struct call_options *options, size_t text_limit, call_print_fn print,
	      const void *context);

#endif
