/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - writes JSON as a stream
 *
 *	struct json json = { .out = out };
 *	json_open(&json, NULL, '{');
 *	json_u64(&json, "samples", 7);
 *	json_open(&json, "rows", '['); ... json_close(&json);
 *	json_close(&json);
 *
 * @key is the name of the member inside an object, and NULL inside an array. The name is written
 * without escaping, so it must be a constant of this program. These functions write the commas and
 * line ends. The caller must not nest deeper than JSON_DEPTH_MAX; this is not checked.
 */
#ifndef ASSAY_PRESENT_JSON_H
#define ASSAY_PRESENT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
	FILE *out;
	/*
	 * write a line end only after the outermost value; used to write a stream of values with
	 * one value per line
	 */
	bool one_line;
	unsigned int depth;
	/* true if the open object or array at this depth already has a member */
	bool filled[JSON_DEPTH_MAX];
	char bracket[JSON_DEPTH_MAX];	/* bracket that opened each depth: '{' or '[' */
};

void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json);

void json_string(struct json *json, const char *key, const char *text);
void json_u64(struct json *json, const char *key, uint64_t number);
void json_i64(struct json *json, const char *key, int64_t number);
/* Writes null if the number is not finite. */
void json_double(struct json *json, const char *key, double number);
void json_bool(struct json *json, const char *key, bool value);

#endif
