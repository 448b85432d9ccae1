/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay run: records a profile and prints the report. */
#include <argp.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/record_options.h"
#include "cli/report_main.h"
#include "cli/rights.h"
#include "cli/talk.h"

struct arguments {
	struct record_arguments record;
	const char *report_path;	/* NULL: not given */
};

enum option_key { OPTION_REPORT = 256 };

static const struct argp_option option_list[] = {
	{ "report", OPTION_REPORT, "FILE", 0,
	  "Write the report to FILE (default: standard error, so that the output of COMMAND stays "
	  "apart; standard output if there is no COMMAND)",
	  4 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->record;
		return 0;
	case OPTION_REPORT:
		arguments->report_path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool read_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct argp_child children[] = { { &record_argp, 0, NULL, 1 }, { 0 } };
	static const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.args_doc = "[-- COMMAND [ARG...]]",
		.children = children,
		.doc = "Records as `assay record` does, then prints the report.",
	};

	return record_arguments_read(&argp, argc, argv, arguments, &arguments->record);
}

static int report_to_file(const char *path, const char *recording, struct report_options *report)
{
	struct output_file file;
	struct err err;
	int status;

	if (output_file_open(&file, path, &err) < 0) {
		cli_error(&err);
		return EXIT_FAILED;
	}
	report->out = file.out;
	status = report_print(recording, report);
	if (output_file_close(&file, status == EXIT_FAILED ? -EIO : 0, &err) == 0 ||
	    status == EXIT_FAILED)
		return status;
	cli_error(&err);
	return EXIT_FAILED;
}

/*
 * Prints the report without a pager, because a pager could hide the output of the profiled command.
 */
static int report(const struct arguments *arguments)
{
	_cleanup_(report_options_fini) struct report_options report = REPORT_OPTIONS_INIT;
	const struct record_options *options = &arguments->record.options;

	report.print.no_pager = true;
	if (arguments->report_path)
		return report_to_file(arguments->report_path, options->output, &report);
	if (options->command)
		report.out = stderr;
	return report_print(options->output, &report);
}

static void arguments_fini(struct arguments *arguments)
{
	record_arguments_fini(&arguments->record);
}

static int run(int argc, char **argv)
{
	_cleanup_(arguments_fini) struct arguments arguments = { 0 };
	const struct record_arguments *record = &arguments.record;
	struct record_outcome outcome;
	struct talk talk;
	int status, reported = EXIT_OK;

	if (!read_arguments(argc, argv, &arguments))
		return EXIT_USAGE;
	talk_init(&talk, record->quiet, !record->options.command || record->system_wide);
	talk_how_to_end(&record->options, record->quiet);
	arguments.record.options.guard = rights_guard_new();
	if (arguments.record.options.guard && arguments.report_path)
		(void)guard_allow(arguments.record.options.guard, arguments.report_path);
	outcome = record_session(&record->options, &talk.listener, NULL);
	talk_error(&talk, &outcome);
	if (outcome.have_recording)
		reported = report(&arguments);
	status = talk_exit_status(&outcome);
	return status != EXIT_OK ? status : reported;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "record and then print the report",
	.run = run,
};
