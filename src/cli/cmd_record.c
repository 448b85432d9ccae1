/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay record: profile a command, some processes or the whole machine into a file. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/record_session.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static int run(int argc, char **argv)
{
	const struct argp_child children[] = { { .argp = &record_argp }, { 0 } };
	const struct argp argp = {
		.parser = parse,
		.args_doc = "[-- COMMAND [ARG...]]",
		.doc = "Samples what the machine executes and writes it to one file.",
		.children = children,
	};
	_cleanup_(record_options_fini) struct record_options options = { 0 };
	struct record_outcome outcome;
	struct err err = { 0 };

	if (cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &options) != 0)
		return EXIT_USAGE;
	if (record_options_settle(&options, &err) < 0) {
		cli_error(&err);
		return EXIT_USAGE;
	}
	outcome = record_session(&options);
	return record_outcome_finish(&outcome);
}

const struct command cmd_record = {
	.name = "record",
	.summary = "profile a command, processes or the whole machine into a file",
	.run = run,
};
