/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/color_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_COLOR = 256 };

static const struct argp_option color_list[] = {
	{ "color", OPTION_COLOR, "WHEN", 0,
	  "Color names by image: always, never, or auto (the default: on a terminal)", 1 },
	{ 0 },
};

static error_t parse_color(int key, char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[COLOR_AUTO] = "auto",
		[COLOR_ALWAYS] = "always",
		[COLOR_NEVER] = "never",
	};
	enum color_when *when = state->input;

	if (key != OPTION_COLOR)
		return ARGP_ERR_UNKNOWN;
	for (int i = 0; i < 3; i++)
		if (strcmp(arg, words[i]) == 0) {
			*when = (enum color_when)i;
			return 0;
		}
	argp_error(state, "--color must be auto, always or never, not '%s'", arg);
	return EINVAL;
}

const struct argp color_argp = { .options = color_list, .parser = parse_color };

bool color_wanted(enum color_when when, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	if ((no_color && *no_color) || !isatty(fd))
		return false;
	return !terminal || strcmp(terminal, "dumb") != 0;
}
