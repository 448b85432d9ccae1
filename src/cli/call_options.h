/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_options.h - the options that tree, callgraph and peek share
 *
 *	static const struct argp_child children[] = { { &call_argp, 0, NULL, 0 }, { 0 } };
 *	case ARGP_KEY_INIT: state->child_inputs[0] = &call;	(CALL_OPTIONS_INIT)
 *
 * The parser also reads the FILE argument, the path of the recording. This is the first argument
 * that the command's own parser does not accept.
 */
#ifndef ASSAY_CLI_CALL_OPTIONS_H
#define ASSAY_CLI_CALL_OPTIONS_H

#include <argp.h>

#include "analyze/filter.h"
#include "cli/command.h"
#include "cli/print_options.h"

struct call_options {
	const char *path;
	bool path_given;
	struct filter filter;
	struct print_options print;
	size_t limit;
	/* the user chose a limit; otherwise text output is limited and JSON and CSV are not */
	bool limit_given;
	double min_percent;
	/* the user chose min_percent; otherwise only text output has a minimum */
	bool min_percent_given;
};

#define CALL_OPTIONS_INIT { .path = DEFAULT_RECORDING, .filter = FILTER_INIT }

extern const struct argp call_argp;

void call_options_fini(struct call_options *options);

#endif
