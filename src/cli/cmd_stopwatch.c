/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay stopwatch: measures the time between two points, such as a function's entry and return. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/stopwatch_options.h"
#include "cli/stopwatch_record.h"
#include "cli/talk.h"

#define LIMIT_DEFAULT 20

struct printing {
	const char *output;
	struct spans_print print;
	bool has_begun;
};

static void begin(struct printing *printing)
{
	if (printing->has_begun)
		return;
	printing->has_begun = true;
	output_begin(printing->print.out, printing->output);
	spans_begin(&printing->print, printing->print.out);
}

static int print_result(void *context, const struct stopwatch_result *result)
{
	struct printing *printing = context;
	const struct spans_show show = {
		.rows = result->rows,
		.row_count = result->row_count,
		.time_seconds = result->time_seconds,
	};

	printing->print.counter_count = result->counter_count;
	printing->print.counter_names = result->counter_names;
	printing->print.counter_kinds = result->counter_kinds;
	qsort(result->rows, result->row_count, sizeof(*result->rows), spans_compare_rows);
	begin(printing);
	return spans_print(&printing->print, &show);
}

static int measure(const struct stopwatch_arguments *arguments)
{
	struct printing printing = {
		.output = arguments->output,
		.print = {
			.format = arguments->format,
			.intervals = arguments->options.interval_ms > 0,
			.waits = arguments->options.waits,
			.interrupts = arguments->options.interrupts,
			.value = arguments->value,
			.by = arguments->options.by,
			.by_name = arguments->options.by_value,
			.by_second = arguments->options.by_second,
			.limit = arguments->limit,
			.out = output_open(arguments->output),
		},
	};
	struct stopwatch_listener listener = { .result = print_result, .context = &printing };
	struct stopwatch_outcome outcome;
	struct talk talk;
	int status;

	if (!printing.print.out)
		return EXIT_FAILED;
	talk_init(&talk, arguments->quiet, false);
	listener.notes = talk.listener;
	outcome = stopwatch_session(&arguments->options, &listener);
	if (printing.has_begun)
		spans_end(&printing.print);
	if (outcome.err.code)
		cli_error(&outcome.err);
	status = outcome.exec_error ? exit_status_of_exec(outcome.exec_error)
		 : outcome.err.code ? EXIT_FAILED
				    : outcome.exit_status;
	return output_close(printing.print.out, arguments->output, status);
}

/* The words before "--" are points, those after it are the command. */
static int run(int argc, char **argv)
{
	_cleanup_(stopwatch_arguments_fini) struct stopwatch_arguments arguments = {
		.limit = LIMIT_DEFAULT
	};
	int own = 1;

	while (own < argc && strcmp(argv[own], "--") != 0)
		own++;
	if (own < argc)
		arguments.options.command = argv + own + 1;
	if (cli_parse(&stopwatch_argp, own, argv, 0, &arguments) != 0)
		return EXIT_USAGE;
	if (own < argc && !argv[own + 1]) {
		cli_message("no command given after --");
		return EXIT_USAGE;
	}
	if (!arguments.options.what.point_count && !arguments.options.what.join_count &&
	    !arguments.options.what.run_queue) {
		cli_message("nothing to measure: give a point");
		return EXIT_USAGE;
	}
	arguments.options.program_dirs = getenv("PATH");
	return stopwatch_records(&arguments) ? stopwatch_record(&arguments) : measure(&arguments);
}

const struct command cmd_stopwatch = {
	.name = "stopwatch",
	.summary = "measure how long functions and system calls take",
	.run = run,
};
