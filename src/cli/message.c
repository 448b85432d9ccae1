/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints messages to stderr, with control bytes escaped. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest_word.h"
#include "cli/command.h"
#include "present/escape.h"

#define MESSAGE_MAX 4096

static void print_line(const char *text)
{
	(void)fputs("assay: ", stderr);
	escape_text(stderr, text);
	(void)fputc('\n', stderr);
}

void cli_error(const struct err *err)
{
	print_line(err->text);
}

void cli_message(const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_line(text);
}

/* ---- the command line ---- */

struct parsing {
	FILE *plain;			/* where messages go */
	const struct argp *argp;
};

/* Offers the long options of @argp and of its children. */
static void offer_options(const struct argp *argp, struct nearest_word *nearest)
{
	const struct argp_option *option = argp->options;

	for (; option && (option->name || option->key || option->doc); option++)
		if (option->name)
			nearest_word_offer(nearest, option->name);
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		offer_options(child->argp, nearest);
}

/* If getopt's message @text says that an option is unknown, names the option that is similar. */
static void suggest_option(const struct parsing *parsing, const char *text)
{
	static const char before[] = "unrecognized option '--";
	const char *name = strstr(text, before);
	char wanted[NEAREST_WORD_MAX + 1];
	struct nearest_word nearest = { .wanted = wanted };
	size_t length;

	if (!name)
		return;
	name += strlen(before);
	length = strcspn(name, "='");
	if (length >= sizeof(wanted))
		return;
	memcpy(wanted, name, length);
	wanted[length] = '\0';
	offer_options(parsing->argp, &nearest);
	if (nearest.found)
		(void)fprintf(parsing->plain, "Did you mean --%s?\n", nearest.found);
}

/* argp breaks its hint where to find help if the line is long. Makes it one line again. */
static void join_hint(char *text)
{
	if (strncmp(text, "Try `", 5) != 0)
		return;
	for (char *at = text; (at = strchr(at, '\n')) != NULL;)
		*at = ' ';
}

/*
 * Escapes @bytes and writes them. The stream is unbuffered, so each call receives the output of one
 * stdio call. A newline at the end of @bytes ends the message and is not escaped. All other control
 * bytes are escaped.
 */
static ssize_t write_escaped(void *context, const char *bytes, size_t size_bytes)
{
	const struct parsing *parsing = context;
	bool whole_line = size_bytes > 0 && bytes[size_bytes - 1] == '\n';
	char *text = strndup(bytes, size_bytes - whole_line);

	if (text) {
		join_hint(text);
		escape_text(parsing->plain, text);
	}
	if (whole_line)
		(void)fputc('\n', parsing->plain);
	if (text && whole_line)
		suggest_option(parsing, text);
	free(text);
	return (ssize_t)size_bytes;
}

/*
 * argp and getopt offer no hook for their output. Both write to the current value of stderr, so
 * stderr is replaced while they run.
 */
error_t cli_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input)
{
	const cookie_io_functions_t functions = { .write = write_escaped };
	struct parsing parsing = { .plain = stderr, .argp = argp };
	FILE *escaped = fopencookie(&parsing, "w", functions);
	error_t rc;

	if (!escaped)
		return ENOMEM;
	(void)setvbuf(escaped, NULL, _IONBF, 0);
	stderr = escaped;
	rc = argp_parse(argp, argc, argv, flags, NULL, input);
	stderr = parsing.plain;
	(void)fclose(escaped);
	return rc;
}
