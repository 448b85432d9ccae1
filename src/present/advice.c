/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/advice.h"

#include "present/palette.h"
#include "present/table.h"

#define COLUMNS 80		/* width if the output is not a terminal */
#define WARNING_COLUMNS 9	/* width of "WARNING: " */
#define SHARE_COLUMNS 10	/* width of "   12.3%  " */

static void put(const struct advice_line *line, const char *before, size_t indent, size_t columns,
		FILE *out)
{
	char text[2048];

	(void)fputs(before, out);
	(void)snprintf(text, sizeof(text), "%s%s%s", line->what, *line->command ? ": " : "",
		       line->command);
	wrap_text(out, text, indent, columns ? columns : COLUMNS);
	(void)fputc('\n', out);
}

void advice_print_warnings(const struct advice_lines *lines, size_t columns, bool is_colored,
			   FILE *out)
{
	const char *before = is_colored ? PALETTE_WARNING "WARNING:" PALETTE_END " " : "WARNING: ";

	for (size_t i = 0; i < lines->count; i++)
		if (lines->at[i].warns)
			put(&lines->at[i], before, WARNING_COLUMNS, columns, out);
}

void advice_print_hints(const struct advice_lines *lines, size_t columns, FILE *out)
{
	bool has_title = false;

	for (size_t i = 0; i < lines->count; i++) {
		char share[SHARE_COLUMNS + 16];

		if (lines->at[i].warns)
			continue;
		if (!has_title)
			(void)fputs("Advice, with the share that it would explain better:\n", out);
		has_title = true;
		(void)snprintf(share, sizeof(share), "  %5.1f%%  ", 100 * lines->at[i].share);
		put(&lines->at[i], share, SHARE_COLUMNS, columns, out);
	}
}

void advice_json(const struct advice_lines *lines, struct json *json)
{
	json_open(json, "advice", '[');
	for (size_t i = 0; lines && i < lines->count; i++) {
		const struct advice_line *line = &lines->at[i];

		json_open(json, NULL, '{');
		json_bool(json, "warning", line->warns);
		json_double(json, "share", line->share);
		json_string(json, "text", line->what);
		json_string(json, "command", line->command);
		json_close(json);
	}
	json_close(json);
}
