/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - the interface of assay's subcommands
 *
 * Each subcommand has a file cmd_<name>.c, which defines a struct command, and main.c lists all of
 * them. A subcommand parses its own options with cli_parse(), does its work, prints errors to
 * stderr with cli_error() and returns the exit status. Data goes to stdout, messages go to stderr.
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
	/* the user's filter or name matched nothing, a file has no samples, or a check failed */
	EXIT_NO_MATCH = 3,
	EXIT_CANNOT_EXEC = 126,
	EXIT_NOT_FOUND = 127,
};

struct command {
	const char *name;
	const char *summary;	/* one line for `assay help` */
	int (*run)(int argc, char **argv);	/* argv[0] is "assay <name>" */
};

/*
 * Calls argp_parse() and returns its result. Escapes everything that argp, getopt and argp_error()
 * print to stderr, because their messages repeat words of the command line, and these words can
 * contain control characters.
 */
error_t cli_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

#define COMMAND(name) extern const struct command cmd_##name;
#include "cli/commands.def"
#undef COMMAND

/* Print "assay: <text>" to stderr, with control bytes escaped. */
void cli_error(const struct err *err);
void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
