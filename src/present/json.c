/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/json.h"

#include <inttypes.h>
#include <math.h>

#include "present/escape.h"

/*
 * A value begins a new line if its nesting depth is at most LINE_DEPTH. Deeper values continue the
 * line, so each row of a table is one line.
 */
#define LINE_DEPTH 3

static void begin(struct json *json, const char *key)
{
	if (json->depth) {
		if (json->filled[json->depth - 1])
			(void)fputc(',', json->out);
		if (json->depth <= LINE_DEPTH && !json->one_line)
			(void)fprintf(json->out, "\n%*s", (int)json->depth, "");
		json->filled[json->depth - 1] = true;
	}
	if (key)
		(void)fprintf(json->out, "\"%s\": ", key);
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	(void)fputc(bracket, json->out);
	json->filled[json->depth] = false;
	json->bracket[json->depth++] = bracket;
}

void json_close(struct json *json)
{
	char bracket = json->bracket[--json->depth];

	(void)fputc(bracket == '{' ? '}' : ']', json->out);
	if (json->depth == 0)
		(void)fputc('\n', json->out);
}

void json_string(struct json *json, const char *key, const char *text)
{
	begin(json, key);
	escape_json(json->out, text);
}

void json_u64(struct json *json, const char *key, uint64_t number)
{
	begin(json, key);
	(void)fprintf(json->out, "%" PRIu64, number);
}

void json_i64(struct json *json, const char *key, int64_t number)
{
	begin(json, key);
	(void)fprintf(json->out, "%" PRId64, number);
}

void json_double(struct json *json, const char *key, double number)
{
	begin(json, key);
	if (isfinite(number))
		(void)fprintf(json->out, "%.9g", number);
	else
		(void)fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	(void)fputs(value ? "true" : "false", json->out);
}
