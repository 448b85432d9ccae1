/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay run: record, then report, in one go. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/record_session.h"
#include "cli/report_main.h"

/* The command's own output may still be on the screen: no pager over it. */
static int report(const struct record_options *options)
{
	_cleanup_(report_options_fini) struct report_options report = REPORT_OPTIONS_INIT;

	report.print.no_pager = true;
	return report_print(options->output, &report);
}

static int run(int argc, char **argv)
{
	_cleanup_(record_options_fini) struct record_options options = { 0 };
	struct record_outcome outcome;
	int status, reported = EXIT_OK;

	if (!record_options_read(argc, argv,
				 "Records as `assay record` does, then prints the report.",
				 &options))
		return EXIT_USAGE;
	outcome = record_session(&options);
	if (outcome.have_recording)
		reported = report(&options);
	status = record_outcome_finish(&outcome);
	return status != EXIT_OK ? status : reported;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "record and report in one go",
	.run = run,
};
