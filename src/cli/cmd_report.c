/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay report: prints a report of a recording. */
#include <argp.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/input_options.h"
#include "cli/metric_options.h"
#include "cli/option_values.h"
#include "cli/report_main.h"

struct arguments {
	const char *path;
	const char *sections;		/* the value of --section; NULL: not given */
	bool full;
	struct report_options options;
};

enum option_key {
	OPTION_BY = 256,
	OPTION_FULL,
	OPTION_SECTION,
	OPTION_STEP,
	OPTION_LIMIT,
	OPTION_MIN_PERCENT,
	OPTION_VMLINUX,
	OPTION_WAITS,
	OPTION_STOPWATCH,
};

static const struct argp_option option_list[] = {
	{ "by", OPTION_BY, "KEY,...", 0,
	  "Print one table by process, instance, application, thread, tgid, comm, uid, image, "
	  "function, address, line, block, cpu, cgroup, context, state, event or time",
	  1 },
	{ "full", OPTION_FULL, NULL, 0, "Print all sections, and not only the first screen", 1 },
	{ "section", OPTION_SECTION, "NAME,...", 0,
	  "Print only these sections: headline, trust, applications, functions, waits, calls or "
	  "advice of the first screen; run, losses, health, ledger, processes, profiles, kernel, "
	  "idle, interrupts or late of the full report",
	  1 },
	{ "step", OPTION_STEP, "DURATION", 0,
	  "Length of each row of --by=time, such as 100ms (default: at most 40 rows)", 1 },
	{ "limit", OPTION_LIMIT, "N", 0,
	  "Show at most N rows of each table; 0: all (default: up to 20 in text)", 1 },
	{ "min-percent", OPTION_MIN_PERCENT, "P", 0,
	  "Print every profile with at least this share (default: the three largest with at least "
	  "1 %)",
	  1 },
	{ "waits", OPTION_WAITS, NULL, 0,
	  "Print where threads were blocked, and who woke them from where", 1 },
	{ "stopwatch", OPTION_STOPWATCH, NULL, 0,
	  "Print how long the calls took that were measured during the recording", 1 },
	{ "vmlinux", OPTION_VMLINUX, "FILE", 0,
	  "Read kernel code for --by=block from this file (default: /proc/kcore)", 1 },
	{ 0 },
};

static void parse_by(struct arguments *arguments, const char *text, struct argp_state *state)
{
	struct err err;

	if (dimensions_parse(text, arguments->options.by, &arguments->options.by_count, &err) < 0)
		argp_error(state, "%s", err.text);
}

static void settle(struct arguments *arguments, struct argp_state *state)
{
	struct report_options *options = &arguments->options;
	int kinds = (options->by_count || options->filter.wall) + options->waits +
		    options->stopwatch;
	struct err err;

	if (options->step_ns && !dimensions_have(options->by, options->by_count, BY_TIME))
		argp_error(state, "--step needs --by=time");
	if (kinds > 1)
		argp_error(state, "--waits and --stopwatch cannot be combined with --by, --wall or "
				  "each other");
	if (kinds && (arguments->full || arguments->sections))
		argp_error(state, "--full and --section cannot be combined with --by, --waits, "
				  "--stopwatch or --wall");
	if (arguments->sections && report_sections_parse(arguments->sections, arguments->full,
							 &options->style.sections, &err) < 0)
		argp_error(state, "--section: %s", err.text);
	if (arguments->full && !arguments->sections)
		options->style.sections = SECTIONS_FULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[2] = &arguments->options.filter;
		state->child_inputs[1] = &arguments->options.print;
		state->child_inputs[3] = &arguments->options.filter;
		state->child_inputs[4] = &arguments->options.color;
		state->child_inputs[5] = &arguments->path;
		return 0;
	case OPTION_BY:
		parse_by(arguments, arg, state);
		return 0;
	case OPTION_FULL:
		arguments->full = true;
		return 0;
	case OPTION_SECTION:
		arguments->sections = arg;
		return 0;
	case OPTION_STEP:
		arguments->options.step_ns = option_duration_ns("--step", arg, state);
		return 0;
	case OPTION_LIMIT:
		arguments->options.style.limit = option_rows(arg, state);
		arguments->options.limit_given = true;
		return 0;
	case OPTION_MIN_PERCENT:
		arguments->options.min_percent = option_percent(arg, state);
		arguments->options.min_percent_given = true;
		return 0;
	case OPTION_WAITS:
		arguments->options.waits = true;
		return 0;
	case OPTION_STOPWATCH:
		arguments->options.stopwatch = true;
		return 0;
	case OPTION_VMLINUX:
		arguments->options.vmlinux = arg;
		return 0;
	case ARGP_KEY_END:
		settle(arguments, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = { FILTER_OPTIONS, PRINT_OPTIONS, INLINE_OPTIONS,
						      WALL_OPTIONS,   COLOR_OPTIONS, INPUTS_OPTIONS,
						      { 0 } };
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Prints a report of a recording (default: " DEFAULT_RECORDING ").",
	};
	struct arguments arguments = { .path = DEFAULT_RECORDING, .options = REPORT_OPTIONS_INIT };
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &arguments) == 0 &&
	    report_options_check(&arguments.options))
		status = report_print(arguments.path, &arguments.options);
	report_options_fini(&arguments.options);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print a report of a recording",
	.run = run,
};
