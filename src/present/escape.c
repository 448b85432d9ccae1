/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_text.h"
#include "base/utf8.h"

static size_t show_code(uint32_t code, char ret_shown[static ESCAPE_CHARACTER_MAX])
{
	int columns;

	if (code == '\\')
		columns = snprintf(ret_shown, ESCAPE_CHARACTER_MAX, "\\\\");
	else if (code > 0xffff)
		columns = snprintf(ret_shown, ESCAPE_CHARACTER_MAX, "\\U%08x", code);
	else
		columns = snprintf(ret_shown, ESCAPE_CHARACTER_MAX, "\\u%04x", code);
	return (size_t)columns;
}

size_t escape_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX])
{
	uint32_t code;
	size_t length;

	if (!**text)
		return 0;
	length = utf8_decode(*text, &code);
	if (length == 0 || code < 0x20 || code == 0x7f) {
		(void)snprintf(ret_shown, ESCAPE_CHARACTER_MAX, "\\x%02x", (unsigned char)**text);
		(*text)++;
		return 4;
	}
	if (code == '\\' || utf8_is_invisible(code)) {
		*text += length;
		return show_code(code, ret_shown);
	}
	memcpy(ret_shown, *text, length);
	ret_shown[length] = '\0';
	*text += length;
	return 1;
}

size_t escape_code_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX])
{
	if (**text != '\\')
		return escape_next(text, ret_shown);
	(void)snprintf(ret_shown, ESCAPE_CHARACTER_MAX, "\\");
	(*text)++;
	return 1;
}

void escape_text(FILE *out, const char *text)
{
	char shown[ESCAPE_CHARACTER_MAX];

	while (escape_next(&text, shown))
		(void)fputs(shown, out);
}

/* JSON needs a UTF-16 surrogate pair for codes above 16 bits. */
static void put_json_escape(FILE *out, uint32_t code)
{
	if (code <= 0xffff)
		(void)fprintf(out, "\\u%04x", code);
	else
		(void)fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
			      0xdc00 + ((code - 0x10000) & 0x3ff));
}

void escape_json(FILE *out, const char *text)
{
	(void)fputc('"', out);
	while (*text) {
		uint32_t code = 0;
		size_t length = utf8_decode(text, &code);

		if (length == 0)
			(void)fputs("\\ufffd", out);
		else if (code == '"' || code == '\\')
			(void)fprintf(out, "\\%c", (char)code);
		else if (code < 0x20 || utf8_is_invisible(code))
			put_json_escape(out, code);
		else
			(void)fwrite(text, 1, length, out);
		text += length ? length : 1;
	}
	(void)fputc('"', out);
}

static bool is_formula(const char *text)
{
	char *end;

	if (!*text || !strchr("=+-@", *text))
		return false;
	(void)strtod(text, &end);
	return *end != '\0';
}

void escape_csv(FILE *out, const char *text)
{
	bool quoted = strpbrk(text, ",\"\r\n") != NULL || *text == ' ';
	struct name_cursor cursor = { .name = text, .at = text };
	char shown[NAME_TEXT_CHARACTER_MAX];

	if (quoted)
		(void)fputc('"', out);
	if (is_formula(text))
		(void)fputc('\'', out);
	while (name_text_next(&cursor, shown)) {
		if (shown[0] == '"')
			(void)fputc('"', out);
		(void)fputs(shown, out);
	}
	if (quoted)
		(void)fputc('"', out);
}

void escape_joined(FILE *out, const char *name)
{
	for (; *name; name++)
		if (*name == ';')
			(void)fputs("%3b", out);
		else if (strncmp(name, "%3b", 3) == 0 || strncmp(name, "%25", 3) == 0)
			(void)fputs("%25", out);
		else
			(void)fputc(*name, out);
}

static const char *xml_entity(char character)
{
	switch (character) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

size_t escape_wide_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX])
{
	size_t columns = escape_next(text, ret_shown);

	return columns + ((ret_shown[0] & 0x80) != 0);
}

static size_t put_counted(FILE *out, const char *text)
{
	if (out)
		(void)fputs(text, out);
	return strlen(text);
}

size_t escape_xml(FILE *out, const char *text)
{
	char shown[ESCAPE_CHARACTER_MAX];
	size_t bytes = 0;

	while (escape_next(&text, shown)) {
		const char *entity = xml_entity(shown[0]);

		bytes += put_counted(out, entity ? entity : shown);
	}
	return bytes;
}
