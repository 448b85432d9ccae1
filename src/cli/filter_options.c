/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter_options.h"

enum { OPTION_FIRST = 256, OPTION_COUNT = 10 };

/* The name of each option is a key that filter_add() accepts. */
static const struct argp_option option_list[OPTION_COUNT + 1] = {
	{ "comm", OPTION_FIRST, "LIST", 0, "Threads by name", 0 },
	{ "pid", OPTION_FIRST + 1, "LIST", 0, "Processes by number", 0 },
	{ "tid", OPTION_FIRST + 2, "LIST", 0, "Threads by number", 0 },
	{ "image", OPTION_FIRST + 3, "LIST", 0, "Programs and libraries by path or file name", 0 },
	{ "symbol", OPTION_FIRST + 4, "LIST", 0, "Functions anywhere in the stack", 0 },
	{ "application", OPTION_FIRST + 5, "LIST", 0, "Programs by name", 0 },
	{ "context", OPTION_FIRST + 6, "LIST", 0,
	  "user, syscall, exception, softirq, hardirq, nmi, idle, kthread, kernel", 0 },
	{ "cpu", OPTION_FIRST + 7, "LIST", 0, "CPUs, such as 0-3,8", 0 },
	{ "time", OPTION_FIRST + 8, "A-B", 0, "Time since the start: one range such as 1.5s-3s",
	  0 },
	{ "event", OPTION_FIRST + 9, "LIST", 0, "Events", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct err err;

	if (key < OPTION_FIRST || key >= OPTION_FIRST + OPTION_COUNT)
		return ARGP_ERR_UNKNOWN;
	if (filter_add(state->input, option_list[key - OPTION_FIRST].name, arg, &err) < 0)
		argp_error(state, "%s", err.text);
	return 0;
}

const struct argp filter_argp = { .options = option_list, .parser = parse };
