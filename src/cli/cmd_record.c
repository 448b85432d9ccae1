/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay record: records a profile of a command, processes or the whole machine. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/record_options.h"
#include "cli/rights.h"
#include "cli/talk.h"

static int run(int argc, char **argv)
{
	_cleanup_(record_arguments_fini) struct record_arguments arguments = { 0 };
	struct argp argp = record_argp;
	struct record_outcome outcome;
	struct talk talk;

	argp.args_doc = "[-- COMMAND [ARG...]]";
	argp.doc = "Samples what the machine executes and writes the samples to one file.";
	if (!record_arguments_read(&argp, argc, argv, &arguments, &arguments))
		return EXIT_USAGE;
	talk_init(&talk, arguments.quiet, !arguments.options.command || arguments.system_wide);
	talk_how_to_end(&arguments.options, arguments.quiet);
	arguments.options.guard = rights_guard_new();
	outcome = record_session(&arguments.options, &talk.listener, NULL);
	talk_error(&talk, &outcome);
	return talk_exit_status(&outcome);
}

const struct command cmd_record = {
	.name = "record",
	.summary = "profile a command, processes or the whole machine into a file",
	.run = run,
};
