/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only words on stderr. */
#include <stdarg.h>
#include <stdio.h>

#include "cli/command.h"
#include "present/escape.h"

#define MESSAGE_MAX 4096

static void say(const char *text)
{
	(void)fputs("assay: ", stderr);
	escape_text(stderr, text);
	(void)fputc('\n', stderr);
}

void cli_error(const struct err *err)
{
	say(err->text);
}

void cli_message(const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	say(text);
}
