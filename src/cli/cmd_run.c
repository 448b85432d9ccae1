/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay run: record, then report, in one go. */
#include <argp.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/record_session.h"
#include "cli/report_main.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

/* The command's own output may still be on the screen: no pager over it. */
static int report(const struct record_options *options)
{
	_cleanup_(report_options_fini) struct report_options report = REPORT_OPTIONS_INIT;

	report.no_pager = true;
	return report_print(options->output, &report);
}

static int run(int argc, char **argv)
{
	const struct argp_child children[] = { { .argp = &record_argp }, { 0 } };
	const struct argp argp = {
		.parser = parse,
		.args_doc = "[-- COMMAND [ARG...]]",
		.doc = "Records as `assay record` does, then prints the report.",
		.children = children,
	};
	_cleanup_(record_options_fini) struct record_options options = { 0 };
	struct record_outcome outcome;
	struct err err = { 0 };
	int status, reported = EXIT_OK;

	if (cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &options) != 0)
		return EXIT_USAGE;
	if (record_options_settle(&options, &err) < 0) {
		cli_error(&err);
		return EXIT_USAGE;
	}
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
