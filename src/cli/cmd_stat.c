/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay stat: counts events, or compares the saved results of two runs. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/stat_compare.h"
#include "cli/stat_options.h"
#include "cli/talk.h"
#include "session/workload.h"

#define COMMAND_LINE_MAX 2048

struct printing {
	const struct stat_arguments *arguments;
	struct stat_print print;
	char command_line[COMMAND_LINE_MAX];
	bool has_begun;
};

/* Prints the same as `assay list portable`. */
static int list(const struct stat_arguments *arguments)
{
	char name[] = "assay list", what[] = "portable", json[] = "--json";
	char *argv[] = { name, what, arguments->format == STAT_JSON ? json : NULL, NULL };

	return cmd_list.run(arguments->format == STAT_JSON ? 3 : 2, argv);
}

static struct stat_print print_of(const struct stat_arguments *arguments, const char *command_line,
				  FILE *out)
{
	static const char *const targets[] = {
		[STAT_COMMAND] = "command",
		[STAT_SYSTEM] = "system",
		[STAT_PROCESSES] = "processes",
		[STAT_THREADS] = "threads",
	};

	return (struct stat_print){
		.format = arguments->format,
		.command = arguments->options.command ? command_line : NULL,
		.target = targets[arguments->options.target],
		.intervals = arguments->options.interval_ms > 0,
		.out = out,
	};
}

static int print_result(void *context, const struct stat_result *result)
{
	struct printing *printing = context;
	const struct stat_show show = {
		.table = result->table,
		.events = result->events,
		.places = result->places,
		.time_seconds = result->time_seconds,
	};

	printing->print.user_only = result->user_only;
	if (!printing->has_begun) {
		output_begin(printing->print.out, printing->arguments->output);
		stat_begin(&printing->print, printing->print.out);
	}
	printing->has_begun = true;
	return stat_print(&printing->print, &show);
}

static int exit_status_of(const struct stat_outcome *outcome)
{
	if (outcome->exec_error)
		return exit_status_of_exec(outcome->exec_error);
	if (outcome->err.code && outcome->exit_status == EXIT_OK)
		return EXIT_FAILED;
	return outcome->exit_status;
}

static int count(const struct stat_arguments *arguments)
{
	struct printing printing = { .arguments = arguments };
	FILE *out = output_open(arguments->output);
	struct stat_listener listener = { .result = print_result, .context = &printing };
	struct stat_outcome outcome;
	struct talk talk;

	if (!out)
		return EXIT_FAILED;
	workload_command_line(arguments->options.command, printing.command_line,
			      sizeof(printing.command_line));
	printing.print = print_of(arguments, printing.command_line, out);
	talk_init(&talk, false, false);
	listener.notes = talk.listener;
	outcome = stat_session(&arguments->options, &listener);
	if (printing.has_begun)
		stat_end(&printing.print);
	if (outcome.err.code)
		cli_error(&outcome.err);
	return output_close(out, arguments->output, exit_status_of(&outcome));
}

static int run(int argc, char **argv)
{
	_cleanup_(stat_arguments_fini) struct stat_arguments arguments = { 0 };

	if (!stat_arguments_read(argc, argv, &arguments))
		return EXIT_USAGE;
	if (arguments.list)
		return list(&arguments);
	if (arguments.diff)
		return stat_compare(&arguments);
	return count(&arguments);
}

const struct command cmd_stat = {
	.name = "stat",
	.summary = "count events of a command, processes or the whole machine",
	.run = run,
};
