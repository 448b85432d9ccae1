/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and runs the subcommand. Afterwards checks that the subcommand's output was written. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "base/nearest_word.h"
#include "cli/command.h"

#define NAME_MAX_BYTES 32	/* of "assay COMMAND" */

static const struct command *const commands[] = {
#define COMMAND(name) &cmd_##name,
#include "cli/commands.def"
#undef COMMAND
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	struct nearest_word nearest = { .wanted = name };

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		nearest_word_offer(&nearest, commands[i]->name);
	if (nearest.found)
		cli_message("there is no command '%s'; did you mean '%s'?", name, nearest.found);
	else
		cli_message("there is no command '%s'; see 'assay help'", name);
	return EXIT_USAGE;
}

static void print_help(FILE *out)
{
	(void)fputs("usage: assay COMMAND [OPTION...]\n\n", out);
	(void)fputs("Shows what this machine was doing and how far the answer can be trusted.\n\n",
		    out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		(void)fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	(void)fputs(
		"\n'assay COMMAND --help' lists its options, 'man assay-COMMAND' explains them.\n",
		out);
}

static int run_command(const struct command *command, int argc, char **argv)
{
	char name[NAME_MAX_BYTES];

	(void)snprintf(name, sizeof(name), "assay %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

/* assay help [COMMAND] */
static int help(int argc, char **argv)
{
	char option[] = "--help";
	char *help_argv[] = { NULL, option, NULL };
	const struct command *command;

	if (argc < 2) {
		print_help(stdout);
		return EXIT_OK;
	}
	command = find_command(argv[1]);
	return command ? run_command(command, 2, help_argv) : unknown_command(argv[1]);
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "-h") == 0)
		return help(argc - 1, argv + 1);
	if (strcmp(argv[1], "--version") == 0) {
		(void)puts("assay " ASSAY_VERSION);
		return EXIT_OK;
	}
	command = find_command(argv[1]);
	return command ? run_command(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	int status;

	/*
	 * Restore the default action of SIGPIPE, because the parent process may have set the signal
	 * to be ignored. With the default action, assay ends silently if the reader of its output
	 * closes the pipe.
	 */
	(void)signal(SIGPIPE, SIG_DFL);
	argp_err_exit_status = EXIT_USAGE;
	/*
	 * By default, SQLite takes locks and keeps statistics of allocated memory. For a small row,
	 * both together take a fifth of SQLite's time. Turn both off.
	 */
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	status = dispatch(argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_message("standard output: %s", strerror(errno));
		return status == EXIT_OK ? EXIT_FAILED : status;
	}
	return status;
}
