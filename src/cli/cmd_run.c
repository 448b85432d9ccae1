/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay run: records a profile and prints the report. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/record_options.h"
#include "cli/report_main.h"
#include "cli/talk.h"

/*
 * Prints the report without a pager, because a pager could hide the output of the profiled command.
 */
static int report(const struct record_options *options)
{
	_cleanup_(report_options_fini) struct report_options report = REPORT_OPTIONS_INIT;

	report.print.no_pager = true;
	return report_print(options->output, &report);
}

static int run(int argc, char **argv)
{
	_cleanup_(record_arguments_fini) struct record_arguments arguments = { 0 };
	struct record_outcome outcome;
	struct talk talk;
	int status, reported = EXIT_OK;

	if (!record_arguments_read(argc, argv,
				   "Records as `assay record` does, then prints the report.",
				   &arguments))
		return EXIT_USAGE;
	talk_init(&talk, arguments.quiet, !arguments.options.command || arguments.system_wide);
	outcome = record_session(&arguments.options, &talk.listener, NULL);
	talk_error(&talk, &outcome);
	if (outcome.have_recording)
		reported = report(&arguments.options);
	status = talk_exit_status(&outcome);
	return status != EXIT_OK ? status : reported;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "record and then print the report",
	.run = run,
};
