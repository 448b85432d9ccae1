/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - JSON as a stream
 *
 *	struct json json = { .out = out };
 *	json_open(&json, NULL, '{');
 *	json_u64(&json, "samples", 7);
 *	json_open(&json, "rows", '['); ... json_close(&json);
 *	json_close(&json);
 *
 * @key is the member's name inside an object and NULL inside an array; it is written as it
 * is, so it must be one of ours.  Commas, nesting and line ends are kept here.  Nesting is at
 * most JSON_DEPTH_MAX deep, which the callers' own structure bounds.
 */
#ifndef ASSAY_PRESENT_JSON_H
#define ASSAY_PRESENT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
	FILE *out;
	bool one_line;			/* no line ends but behind the whole: a stream of values */
	unsigned int depth;
	bool filled[JSON_DEPTH_MAX];	/* the level has a member already */
	char bracket[JSON_DEPTH_MAX];	/* '{' or '[' */
};

void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json);

void json_string(struct json *json, const char *key, const char *text);
void json_u64(struct json *json, const char *key, uint64_t number);
void json_i64(struct json *json, const char *key, int64_t number);
void json_double(struct json *json, const char *key, double number);	/* null if not finite */
void json_bool(struct json *json, const char *key, bool value);

#endif
