/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/input_options.h"

static const struct argp_option input_list[] = {
	{ "input", 'i', "FILE", 0, "Read this recording", 1 },
	{ 0 },
};

/* state->hook has the default, so the path was given if it is not the default any more. */
static error_t parse_input(int key, char *arg, struct argp_state *state)
{
	const char **path = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->hook = (void *)*path;
		return 0;
	case 'i':
	case ARGP_KEY_ARG:
		if (*path != state->hook)
			argp_error(state, "give only one recording");
		*path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp input_argp = { .options = input_list, .parser = parse_input };
