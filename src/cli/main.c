/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and runs the subcommand. Afterwards checks that the subcommand's output was written. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "cli/command.h"

#define WORD_MAX 32	/* longer words are not compared with command names */

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

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Returns the Levenshtein distance of @from and @to: the minimum number of characters to insert,
 * delete or replace to turn one word into the other. Returns SIZE_MAX if a word is longer than
 * WORD_MAX.
 */
static size_t distance(const char *from, const char *to)
{
	size_t row[WORD_MAX + 1], length = strlen(to);

	if (strlen(from) > WORD_MAX || length > WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= length; i++)
		row[i] = i;
	for (size_t done = 1; *from; from++, done++) {
		size_t diagonal = row[0];

		row[0] = done;
		for (size_t i = 1; i <= length; i++) {
			size_t replaced = diagonal + (*from != to[i - 1]);

			diagonal = row[i];
			row[i] = least(replaced, least(row[i - 1], row[i]) + 1);
		}
	}
	return row[length];
}

/*
 * Returns the command whose name is most similar to @name. Returns NULL if even that name has a
 * Levenshtein distance of more than two from @name.
 */
static const struct command *nearest_command(const char *name)
{
	const struct command *nearest = NULL;
	size_t best = 3;

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		size_t changes = distance(name, commands[i]->name);

		if (changes < best) {
			best = changes;
			nearest = commands[i];
		}
	}
	return nearest;
}

static int unknown_command(const char *name)
{
	const struct command *meant = nearest_command(name);

	if (meant)
		cli_message("there is no command '%s'; did you mean '%s'?", name, meant->name);
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
	char name[WORD_MAX];

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
