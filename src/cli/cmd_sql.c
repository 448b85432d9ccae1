/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay sql: runs SQL statements on a recording. docs/schema.md describes its tables. */
#include <argp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/input_options.h"
#include "cli/rights.h"
#include "cli/say_losses.h"
#include "cli/sql_print.h"
#include "store/database.h"

struct sql_options {
	const char *path;
	const char *query;	/* NULL: read from stdin */
	enum sql_format format;
	const char *words[2];
};

struct session {
	const struct sql_options *options;
	sqlite3 *db;
};

static void report_error(const struct session *session)
{
	int code = sqlite3_errcode(session->db);

	if (code == SQLITE_AUTH || code == SQLITE_READONLY)
		cli_message("%s: assay sql cannot change recordings (%s)", session->options->path,
			    sqlite3_errmsg(session->db));
	else
		cli_message("%s: %s", session->options->path, sqlite3_errmsg(session->db));
}

static int run_statement(struct session *session, sqlite3_stmt *statement)
{
	int rc = sql_print(statement, session->options->format, stdout);

	if (rc == 0)
		return EXIT_OK;
	if (rc == -ENOMEM)
		cli_message("%s", strerror(ENOMEM));
	else
		report_error(session);
	return EXIT_FAILED;
}

/* Runs the statements of @sql until one fails. */
static int run_sql(struct session *session, const char *sql)
{
	int status = EXIT_OK;

	while (status == EXIT_OK && *sql) {
		_cleanup_statement_ sqlite3_stmt *statement = NULL;

		if (sqlite3_prepare_v2(session->db, sql, -1, &statement, &sql) != SQLITE_OK) {
			report_error(session);
			return EXIT_FAILED;
		}
		if (statement)
			status = run_statement(session, statement);
	}
	return status;
}

/*
 * Appends @line to *text, which may be NULL. Replaces *text by a newly allocated string. Returns 0
 * or -ENOMEM.
 */
static int append_line(char **text, const char *line)
{
	char *longer = NULL;

	if (asprintf(&longer, "%s%s", *text ? *text : "", line) < 0)
		return -ENOMEM;
	free(*text);
	*text = longer;
	return 0;
}

/*
 * Reads statements from stdin, and runs each statement as soon as its last line has been read.
 * Stops after a failed statement, unless stdin and stdout are a terminal.
 */
static int run_stdin(struct session *session)
{
	bool interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	_cleanup_free_ char *line = NULL, *text = NULL;
	size_t capacity = 0;
	int status = EXIT_OK;

	for (;;) {
		if (interactive) {
			(void)fputs(text ? "   ...> " : "assay> ", stdout);
			(void)fflush(stdout);
		}
		if (getline(&line, &capacity, stdin) < 0)
			break;
		if (append_line(&text, line) < 0) {
			cli_message("%s", strerror(ENOMEM));
			return EXIT_FAILED;
		}
		if (!sqlite3_complete(text))
			continue;
		status = run_sql(session, text);
		if (status != EXIT_OK && !interactive)
			return status;
		free(TAKE_PTR(text));
	}
	return text ? run_sql(session, text) : status;
}

/*
 * Prints a message if totals and names are missing because the recording is unfinished, or if the
 * last flushes are missing because the journal cannot be used. Without the message, the user might
 * not notice. There is at most one message, and it does not depend on the query.
 */
static void say_what_is_missing(const char *path, const struct database_state *state)
{
	if (state->is_cut && !cut_is_short(&state->cut))
		cli_message("%s is damaged: some samples cannot be found, and there are no totals",
			    path);
	else if (state->is_cut)
		cli_message("%s is cut: only %" PRIu64 " of %" PRIu64 " bytes are there, and no "
			    "totals",
			    path, state->cut.have_bytes, state->cut.want_bytes);
	else if (state->stale)
		cli_message("%s: cannot use the journal %s-wal, so the last part of the run "
			    "is missing",
			    path, path);
	else if (state->progress == DATABASE_GROWING)
		cli_message("%s is still being recorded, so it has no names and totals yet", path);
	else if (state->progress == DATABASE_CUT_SHORT)
		cli_message("%s was cut short, so it has no names and totals until `assay "
			    "report` has read it",
			    path);
	if (state->altered[0])
		cli_message("%s was altered after assay wrote it; tables that fail their "
			    "checksums: %s",
			    path, state->altered);
}

/* Losses are compared to the samples in the totals, which a complete recording has. */
static void say_losses(const char *path, sqlite3 *db)
{
	_cleanup_statement_ sqlite3_stmt *select = NULL;
	struct losses losses = { 0 };
	int64_t kept = statement_integer(db, "SELECT sum(samples) FROM hit", 0);

	if (sqlite3_prepare_v2(db, "SELECT reason, count FROM loss", -1, &select, NULL) !=
	    SQLITE_OK)
		return;
	while (sqlite3_step(select) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(select, 0);
		int64_t count = sqlite3_column_int64(select, 1);
		int reason = name ? loss_of_name(name) : -1;

		if (reason >= 0 && count > 0)
			loss_add(&losses, (enum loss)reason, (uint64_t)count);
	}
	cli_say_losses_of(path, &losses, (uint64_t)kept);
}

static int run_session(const struct sql_options *options)
{
	struct session session = { .options = options };
	struct database_state state;
	struct err err = { 0 };
	int status;

	rights_beware(options->path);
	if (database_open_sql(options->path, &session.db, &state, &err) < 0) {
		cli_error(&err);
		return EXIT_FAILED;
	}
	say_what_is_missing(options->path, &state);
	if (state.progress == DATABASE_COMPLETE)
		say_losses(options->path, session.db);
	status = options->query ? run_sql(&session, options->query) : run_stdin(&session);
	(void)sqlite3_close(session.db);
	return status;
}

/* ---- the command ---- */

static const char default_path[] = DEFAULT_RECORDING;

/*
 * Decides which argument is the file and which is the statement. If there is only one argument, it
 * is a statement if it contains blanks or if -i names the file; otherwise it is a file.
 */
static void assign_words(struct sql_options *options, unsigned int count, struct argp_state *state)
{
	bool has_path = options->path != default_path;

	if (count == 2 && has_path)
		argp_error(state, "give only one recording");
	if (count == 1 && has_path) {
		options->query = options->words[0];
	} else if (count == 2) {
		options->path = options->words[0];
		options->query = options->words[1];
	} else if (count == 1 && strpbrk(options->words[0], " \t\n")) {
		options->query = options->words[0];
	} else if (count == 1) {
		options->path = options->words[0];
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sql_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->path;
		return 0;
	case 'c':
		options->format = SQL_CSV;
		return 0;
	case 'j':
		options->format = SQL_JSON;
		return 0;
	case 't':
		options->format = SQL_TABLE;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num >= 2)
			argp_error(state, "give only one recording and one statement");
		options->words[state->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		assign_words(options, state->arg_num, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_option options_list[] = {
		{ "table", 't', NULL, 0, "print aligned columns (the default)", 0 },
		{ "csv", 'c', NULL, 0, "print comma-separated values", 0 },
		{ "json", 'j', NULL, 0, "print an array of objects", 0 },
		{ 0 },
	};
	static const struct argp_child children[] = { INPUT_OPTIONS, { 0 } };
	static const struct argp argp = {
		.options = options_list,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE] [\"SELECT ...\"]",
		.doc = "Runs SQL over a recording (profile.assay), read-only, with the samples, "
		       "stacks and locations as tables. If no statement is given, reads "
		       "statements from standard input.\vSELECT * FROM flat LIMIT 10 shows "
		       "where the time went; the tables are described in schema.md of the "
		       "documentation.",
	};
	struct sql_options options = { .path = default_path };

	if (cli_parse(&argp, argc, argv, 0, &options) != 0)
		return EXIT_USAGE;
	return run_session(&options);
}

const struct command cmd_sql = {
	.name = "sql",
	.summary = "query a recording with SQL",
	.run = run,
};
