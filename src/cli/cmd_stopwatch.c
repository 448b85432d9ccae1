/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay stopwatch: measures how long functions and system calls take. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/talk.h"
#include "present/spans.h"
#include "session/stopwatch_session.h"

#define DURATION_SECONDS_MAX (30 * 86400)
#define LIMIT_DEFAULT 20

enum { KEY_CSV = 0x100, KEY_LIMIT, KEY_RETURN_PROBES };

struct arguments {
	struct stopwatch_session_options options;
	VEC(struct point) points;
	struct id_list ids;
	bool system_wide, quiet;
	enum spans_format format;
	size_t limit;
	const char *output;
};

static const struct argp_option options_list[] = {
	{ NULL, 0, NULL, 0, "Where:", 1 },
	{ "all-cpus", 'a', NULL, 0,
	  "in all processes (default without a COMMAND); if a COMMAND is given, until it exits",
	  0 },
	{ "pid", 'p', "TGID|NAME,...", 0,
	  "only in these processes, or in all that now run the program NAME, and in the children "
	  "they start",
	  0 },
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "return-probes", KEY_RETURN_PROBES, NULL, 0,
	  "let the kernel catch returns: fast, but C++ exceptions and pthread_cancel(3) through a "
	  "measured function abort the program",
	  0 },
	{ "duration", 'd', "SECONDS", 0, "stop after this time", 0 },
	{ NULL, 0, NULL, 0, "Output:", 3 },
	{ "limit", KEY_LIMIT, "N", 0, "show at most N functions (default: 20)", 0 },
	{ "json", 'j', NULL, 0, "print one JSON object", 0 },
	{ "csv", KEY_CSV, NULL, 0, "print comma-separated values", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE (default: standard output)", 0 },
	{ "quiet", 'q', NULL, 0, "print no messages but errors", 0 },
	{ 0 },
};

static void add_point(struct argp_state *state, struct arguments *arguments, const char *text)
{
	struct point *point = vec_push(&arguments->points);
	struct err err = { 0 };

	if (!point)
		argp_failure(state, EXIT_FAILED, ENOMEM, "%s", text);
	else if (point_parse(text, point, &err) < 0) {
		arguments->points.count--;
		argp_error(state, "%s", err.text);
	}
}

static void set_format(struct argp_state *state, struct arguments *arguments,
		       enum spans_format format)
{
	if (arguments->format != SPANS_TEXT && arguments->format != format)
		argp_error(state, "choose one of --json and --csv");
	arguments->format = format;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'a':
		arguments->system_wide = true;
		return 0;
	case 'p':
		option_processes(arg, state, &arguments->ids, NULL);
		return 0;
	case 'd':
		arguments->options.duration_ms = option_seconds_ms("-d", arg, 1,
								   DURATION_SECONDS_MAX, state);
		return 0;
	case KEY_RETURN_PROBES:
		arguments->options.return_probes = true;
		return 0;
	case KEY_LIMIT:
		arguments->limit = option_rows(arg, state);
		return 0;
	case 'j':
		set_format(state, arguments, SPANS_JSON);
		return 0;
	case KEY_CSV:
		set_format(state, arguments, SPANS_CSV);
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		add_point(state, arguments, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- results ---- */

struct printing {
	const struct arguments *arguments;
	FILE *out;
};

/* What was never called comes last, the others by their total time. */
static int compare_rows(const void *a, const void *b)
{
	double left = ((const struct span_row *)a)->times.total_ns;
	double right = ((const struct span_row *)b)->times.total_ns;

	return (left < right) - (left > right);
}

static int print_result(void *context, const struct stopwatch_result *result)
{
	struct printing *printing = context;
	const struct spans_print print = {
		.format = printing->arguments->format,
		.rows = result->rows,
		.row_count = result->row_count,
		.limit = printing->arguments->limit,
		.time_seconds = result->time_seconds,
	};

	qsort(result->rows, result->row_count, sizeof(*result->rows), compare_rows);
	output_begin(printing->out, printing->arguments->output);
	return spans_print(&print, printing->out);
}

static int measure(const struct arguments *arguments)
{
	struct printing printing = { .arguments = arguments };
	struct stopwatch_listener listener = { .result = print_result, .context = &printing };
	struct stopwatch_outcome outcome;
	struct talk talk;
	int status;

	printing.out = output_open(arguments->output);
	if (!printing.out)
		return EXIT_FAILED;
	talk_init(&talk, arguments->quiet, false);
	listener.notes = talk.listener;
	outcome = stopwatch_session(&arguments->options, &listener);
	if (outcome.err.code)
		cli_error(&outcome.err);
	status = outcome.exec_error ? exit_status_of_exec(outcome.exec_error)
		 : outcome.err.code ? EXIT_FAILED
				    : outcome.exit_status;
	return output_close(printing.out, arguments->output, status);
}

static void arguments_fini(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->points.count; i++)
		point_fini(&arguments->points.at[i]);
	vec_free(&arguments->points);
	vec_free(&arguments->ids.list);
}

/* The words before "--" are points, those after it are the command. */
static int run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options_list,
		.parser = parse,
		.args_doc = "POINT... [-- COMMAND [ARG...]]",
		.doc = "Measures how long functions (IMAGE:FUNCTION) and system calls "
		       "(syscall:NAME) take.",
	};
	_cleanup_(arguments_fini) struct arguments arguments = { .limit = LIMIT_DEFAULT };
	int own = 1;

	while (own < argc && strcmp(argv[own], "--") != 0)
		own++;
	if (own < argc)
		arguments.options.command = argv + own + 1;
	if (cli_parse(&argp, own, argv, 0, &arguments) != 0)
		return EXIT_USAGE;
	if (!arguments.points.count || (own < argc && !argv[own + 1])) {
		cli_message(arguments.points.count ? "no command given after --"
						   : "nothing to measure: give a point");
		return EXIT_USAGE;
	}
	arguments.options.points = arguments.points.at;
	arguments.options.point_count = arguments.points.count;
	arguments.options.tgids = arguments.ids.list.at;
	arguments.options.tgid_count = arguments.ids.list.count;
	arguments.options.all_processes = arguments.system_wide;
	arguments.options.program_dirs = getenv("PATH");
	return measure(&arguments);
}

const struct command cmd_stopwatch = {
	.name = "stopwatch",
	.summary = "measure how long functions and system calls take",
	.run = run,
};
