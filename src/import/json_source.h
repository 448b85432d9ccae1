/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_source.h - read a JSON text as a stream of values, using yajl
 *
 * The caller passes a set of callbacks (the visitor), one of which is called for each value. Only
 * the current token is kept in memory. Text with a token longer than JSON_TOKEN_MAX or with values
 * nested deeper than JSON_DEPTH_LIMIT is treated as damaged. If the text is damaged or ends too
 * early, the visitor still receives all values that precede the damage, and the remaining bytes are
 * counted as LOSS_FILE_CUT. Strings are passed to the visitor unchanged, even if they are not valid
 * UTF-8.
 */
#ifndef ASSAY_IMPORT_JSON_SOURCE_H
#define ASSAY_IMPORT_JSON_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/byte_source.h"
#include "model/loss.h"

#define JSON_TOKEN_MAX (4u << 20)
#define JSON_DEPTH_LIMIT 64u

/* Each callback returns 0, or a negative errno to stop reading. */
struct json_visitor {
	int (*open)(void *context, char bracket);	/* @bracket: '{' or '[' */
	/* the innermost open object or array ends */
	int (*close)(void *context);
	int (*key)(void *context, const char *text, size_t length);
	int (*string)(void *context, const char *text, size_t length);
	int (*number)(void *context, const char *text, size_t length);
	int (*other)(void *context);			/* true, false or null */
};

/*
 * Reads the rest of @source. Returns 0, the error that the visitor returned, -ENOMEM or the error
 * of read(2).
 */
int json_source_read(struct byte_source *source, struct losses *losses,
		     const struct json_visitor *visitor, void *context);

/* A non-negative number in units of one billionth. */
typedef unsigned __int128 json_amount;

#define JSON_BILLION 1000000000u
#define JSON_AMOUNT_MAX ((json_amount)INT64_MAX * JSON_BILLION)

/*
 * Parses the text of a number and rounds the number to billionths. Returns false if the number is
 * negative or greater than JSON_AMOUNT_MAX.
 */
bool json_amount_parse(const char *text, size_t length, json_amount *ret_amount);

#endif
