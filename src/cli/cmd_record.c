/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay record: profile a command, some processes or the whole machine into a file. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/record_session.h"

static int run(int argc, char **argv)
{
	_cleanup_(record_options_fini) struct record_options options = { 0 };
	struct record_outcome outcome;

	if (!record_options_read(argc, argv,
				 "Samples what the machine executes and writes it to one file.",
				 &options))
		return EXIT_USAGE;
	outcome = record_session(&options, NULL);
	return record_outcome_finish(&outcome);
}

const struct command cmd_record = {
	.name = "record",
	.summary = "profile a command, processes or the whole machine into a file",
	.run = run,
};
