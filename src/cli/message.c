/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints messages to stderr, with control bytes escaped. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * Escapes @bytes and writes them to @plain. The stream is unbuffered, so each call receives the
 * output of one stdio call. A newline at the end of @bytes ends the message and is not escaped. All
 * other control bytes are escaped.
 */
static ssize_t write_escaped(void *plain, const char *bytes, size_t size_bytes)
{
	bool whole_line = size_bytes > 0 && bytes[size_bytes - 1] == '\n';
	char *text = strndup(bytes, size_bytes - whole_line);

	if (text)
		escape_text(plain, text);
	if (whole_line)
		(void)fputc('\n', plain);
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
	FILE *plain = stderr, *escaped = fopencookie(plain, "w", functions);
	error_t rc;

	if (!escaped)
		return ENOMEM;
	(void)setvbuf(escaped, NULL, _IONBF, 0);
	stderr = escaped;
	rc = argp_parse(argp, argc, argv, flags, NULL, input);
	stderr = plain;
	(void)fclose(escaped);
	return rc;
}
