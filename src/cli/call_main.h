/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_main.h - from a recording's path to something printed of its stacks
 *
 * What tree, callgraph and peek share: the recording is loaded, its samples are counted by stack
 * through the filter, and the recording is closed before anything is printed.
 */
#ifndef ASSAY_CLI_CALL_MAIN_H
#define ASSAY_CLI_CALL_MAIN_H

#include "cli/call_options.h"
#include "present/call.h"

/* What a command makes of the profile, in the chosen format. 0, CALL_NO_MATCH or -ENOMEM. */
typedef int (*call_print_fn)(const struct profile *profile, const struct call_style *style,
			     const void *context, FILE *out);

#define CALL_NO_MATCH 1		/* nothing is of the kind that was asked for */

/*
 * @text_limit: how many lines a text has at most unless the user says; 0: any number.  The exit
 * status: 3 when the filter matched nothing.
 */
int call_main(const struct call_options *options, size_t text_limit, call_print_fn print,
	      const void *context);

#endif
