/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - one subcommand, one file
 *
 * cmd_<name>.c defines a struct command; main.c lists them.  A command parses its own options
 * with cli_parse(), connects the rooms, prints errors to stderr through cli_error() and returns the
 * exit status.  stdout is data, stderr is messages.
 */
#ifndef ASSAY_CLI_COMMAND_H
#define ASSAY_CLI_COMMAND_H

#include <argp.h>

#include "base/err.h"

#define DEFAULT_RECORDING "profile.assay"

enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_MATCH = 3,	/* a filter matched nothing, a gate failed */
	EXIT_CANNOT_EXEC = 126,
	EXIT_NOT_FOUND = 127,
};

struct command {
	const char *name;
	const char *summary;	/* one line for `assay help` */
	int (*run)(int argc, char **argv);	/* argv[0] is "assay <name>" */
};

/*
 * argp_parse() for commands: what argp, getopt and argp_error() say on stderr about words of the
 * command line is escaped on its way, as they print them as they are.
 */
error_t cli_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

extern const struct command cmd_run, cmd_record, cmd_report, cmd_annotate, cmd_tree, cmd_callgraph,
	cmd_peek, cmd_flame, cmd_diff, cmd_check, cmd_trace, cmd_top, cmd_import, cmd_export,
	cmd_symbolize, cmd_sql, cmd_stat, cmd_list, cmd_doctor;

/* "assay: <text>" on stderr, control bytes escaped. */
void cli_error(const struct err *err);
void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
