/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_options.h - what tree, callgraph and peek have in common on their command lines
 *
 *	static const struct argp_child children[] = { { &call_argp, 0, NULL, 0 }, { 0 } };
 *	case ARGP_KEY_INIT: state->child_inputs[0] = &call;	(CALL_OPTIONS_INIT)
 *
 * FILE is among it: of words that the command does not take itself, the first is the recording.
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
	bool limit_given;		/* else text is limited and data is not */
	double min_percent;
	bool min_percent_given;		/* likewise */
};

#define CALL_OPTIONS_INIT { .path = DEFAULT_RECORDING, .filter = FILTER_INIT }

extern const struct argp call_argp;

void call_options_fini(struct call_options *options);

#endif
