/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay report: what a recording says. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/report_main.h"

#define DEFAULT_PATH "profile.assay"

struct arguments {
	const char *path;
	struct report_options options;
};

enum option_key {
	OPTION_BY = 256,
	OPTION_LIMIT,
	OPTION_MIN_PERCENT,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_NO_PAGER,
	OPTION_WALL,
	OPTION_INLINE,
	OPTION_FILTER,		/* and the ones behind it: options[].name is the filter's key */
};

static const struct argp_option option_list[] = {
	{ "by", OPTION_BY, "KEY,...", 0,
	  "Print one table by process, instance, application, thread, tgid, comm, uid, image, "
	  "function, address, line, cpu, cgroup, context, event or time",
	  1 },
	{ "limit", OPTION_LIMIT, "N", 0, "Rows of each table; 0: all (default: up to 20 in text)",
	  1 },
	{ "min-percent", OPTION_MIN_PERCENT, "P", 0,
	  "Profiles of all with at least this share (default: the three largest, from 1)", 1 },
	{ "wall", OPTION_WALL, NULL, 0,
	  "Print what threads did with all of their time, by process or by thread", 1 },
	{ "inline", OPTION_INLINE, NULL, 0,
	  "Functions that were inlined count by their own name (needs debug information)", 1 },
	{ "json", OPTION_JSON, NULL, 0, "Print JSON", 1 },
	{ "csv", OPTION_CSV, NULL, 0, "Print a table as CSV", 1 },
	{ "no-pager", OPTION_NO_PAGER, NULL, 0, "Do not start a pager", 1 },
	{ NULL, 0, NULL, 0, "Only samples of (lists; names are shell patterns):", 2 },
	{ "comm", OPTION_FILTER, "LIST", 0, "Threads by name", 2 },
	{ "pid", OPTION_FILTER + 1, "LIST", 0, "Processes by number", 2 },
	{ "tid", OPTION_FILTER + 2, "LIST", 0, "Threads by number", 2 },
	{ "image", OPTION_FILTER + 3, "LIST", 0, "Programs and libraries, path or file name", 2 },
	{ "symbol", OPTION_FILTER + 4, "LIST", 0, "Functions, anywhere in the stack", 2 },
	{ "application", OPTION_FILTER + 5, "LIST", 0, "Programs by name", 2 },
	{ "context", OPTION_FILTER + 6, "LIST", 0,
	  "user, syscall, exception, softirq, hardirq, nmi, idle, kthread, kernel", 2 },
	{ "cpu", OPTION_FILTER + 7, "LIST", 0, "CPUs, such as 0-3,8", 2 },
	{ "time", OPTION_FILTER + 8, "A-B", 0, "Time since the start: one range such as 1.5s-3s",
	  2 },
	{ "event", OPTION_FILTER + 9, "LIST", 0, "Events", 2 },
	{ 0 },
};

#define FILTER_COUNT 10

static void parse_limit(struct arguments *arguments, const char *text, struct argp_state *state)
{
	unsigned long long limit;
	char *end;

	errno = 0;
	limit = strtoull(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9')
		argp_error(state, "--limit '%s' is no number of rows", text);
	arguments->options.style.limit = (size_t)limit;
	arguments->options.limit_given = true;
}

static void parse_percent(struct arguments *arguments, const char *text, struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !isfinite(percent) || percent < 0 || percent > 100)
		argp_error(state, "--min-percent '%s' is no percentage", text);
	arguments->options.min_percent = percent;
	arguments->options.min_percent_given = true;
}

static const char *name_of(int key)
{
	const struct argp_option *option = option_list;

	while (option->key != key)
		option++;
	return option->name;
}

static void parse_condition(struct arguments *arguments, int key, const char *text,
			    struct argp_state *state)
{
	struct err err;

	if (filter_add(&arguments->options.filter, name_of(key), text, &err) < 0)
		argp_error(state, "%s", err.text);
}

static void parse_by(struct arguments *arguments, const char *text, struct argp_state *state)
{
	struct err err;

	if (dimensions_parse(text, arguments->options.by, &arguments->options.by_count, &err) < 0)
		argp_error(state, "%s", err.text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_BY:
		parse_by(arguments, arg, state);
		return 0;
	case OPTION_LIMIT:
		parse_limit(arguments, arg, state);
		return 0;
	case OPTION_MIN_PERCENT:
		parse_percent(arguments, arg, state);
		return 0;
	case OPTION_JSON:
		arguments->options.format = REPORT_JSON;
		return 0;
	case OPTION_CSV:
		arguments->options.format = REPORT_CSV;
		return 0;
	case OPTION_WALL:
		arguments->options.wall = true;
		return 0;
	case OPTION_INLINE:
		arguments->options.inlined = true;
		return 0;
	case OPTION_NO_PAGER:
		arguments->options.no_pager = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one recording at a time");
		arguments->path = arg;
		return 0;
	default:
		if (key < OPTION_FILTER || key >= OPTION_FILTER + FILTER_COUNT)
			return ARGP_ERR_UNKNOWN;
		parse_condition(arguments, key, arg, state);
		return 0;
	}
}

static int run(int argc, char **argv)
{
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.args_doc = "[FILE]",
		.doc = "Prints what a recording says (default: " DEFAULT_PATH ").",
	};
	struct arguments arguments = { .path = DEFAULT_PATH, .options = REPORT_OPTIONS_INIT };
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &arguments) == 0 &&
	    report_options_check(&arguments.options))
		status = report_print(arguments.path, &arguments.options);
	report_options_fini(&arguments.options);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print what a recording says",
	.run = run,
};
