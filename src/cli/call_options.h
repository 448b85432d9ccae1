/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_options.h - the options that tree, callgraph and peek share
 *
 *	static const struct argp_child children[] = { { &call_argp, 0, NULL, 0 }, { 0 } };
 *	case ARGP_KEY_INIT: state->child_inputs[0] = &call;	(CALL_OPTIONS_INIT)
 *
 * The parser also reads the argument FILE, the path of the recording. FILE is the argument for
 * which the command's own parser returns ARGP_ERR_UNKNOWN.
 */
#ifndef ASSAY_CLI_CALL_OPTIONS_H
#define ASSAY_CLI_CALL_OPTIONS_H

#include <argp.h>

#include "analyze/filter.h"
#include "cli/color_options.h"
#include "cli/command.h"
#include "cli/print_options.h"

struct call_options {
	const char *path;
	struct filter filter;
	struct print_options print;
	enum color_when color;
	size_t limit;
	/*
	 * true if the user gave a limit; if neither a limit nor min_percent is given, text output
	 * has a default limit, but JSON and CSV do not
	 */
	bool limit_given;
	double min_percent;
	/*
	 * true if the user gave min_percent; if neither a limit nor min_percent is given, text
	 * output has a default minimum share
	 */
	bool min_percent_given;
};

#define CALL_OPTIONS_INIT { .path = DEFAULT_RECORDING, .filter = FILTER_INIT }

extern const struct argp call_argp;

void call_options_fini(struct call_options *options);

#endif
