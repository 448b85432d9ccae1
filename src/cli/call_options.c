/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/call_options.h"

#include "cli/filter_options.h"
#include "cli/input_options.h"
#include "cli/metric_options.h"
#include "cli/option_values.h"

enum option_key {
	OPTION_LIMIT = 256,
	OPTION_MIN_PERCENT,
};

static const struct argp_option option_list[] = {
	{ "limit", OPTION_LIMIT, "N", 0,
	  "Show at most N entries; 0: all (the default in JSON and CSV)", 1 },
	{ "min-percent", OPTION_MIN_PERCENT, "P", 0,
	  "Show only entries with at least this share of all samples (default: 0.5 in text)", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct call_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[2] = &options->filter;
		state->child_inputs[3] = &options->filter;
		state->child_inputs[1] = &options->print;
		state->child_inputs[4] = &options->color;
		state->child_inputs[5] = &options->path;
		return 0;
	case OPTION_LIMIT:
		options->limit = option_rows(arg, state);
		options->limit_given = true;
		return 0;
	case OPTION_MIN_PERCENT:
		options->min_percent = option_percent(arg, state);
		options->min_percent_given = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { FILTER_OPTIONS, PRINT_OPTIONS, INLINE_OPTIONS,
					      WALL_OPTIONS,   COLOR_OPTIONS, INPUTS_OPTIONS,
					      { 0 } };

const struct argp call_argp = { .options = option_list, .parser = parse, .children = children };

void call_options_fini(struct call_options *options)
{
	filter_fini(&options->filter);
}
