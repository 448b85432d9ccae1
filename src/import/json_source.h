/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_source.h - a JSON text as a stream of its values, by yajl
 *
 * Nothing of the text is kept but the token at hand, which is at most JSON_TOKEN_MAX long, and
 * nothing nests deeper than JSON_DEPTH_LIMIT: text beyond that is damage.  Where the text is
 * damaged or ends too early, all before has been visited, and the rest is counted in bytes as
 * LOSS_FILE_CUT.  Texts are handed on as they are, valid UTF-8 or not.
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

/* Each returns 0, or a negative errno that ends the reading. */
struct json_visitor {
	int (*open)(void *context, char bracket);	/* '{' or '[' */
	int (*close)(void *context);			/* what was opened last */
	int (*key)(void *context, const char *text, size_t length);
	int (*string)(void *context, const char *text, size_t length);
	int (*number)(void *context, const char *text, size_t length);
	int (*other)(void *context);			/* true, false, null */
};

/* All that is left of @source. 0, what the visitor returned, -ENOMEM or the error of read(2). */
int json_source_read(struct byte_source *source, struct losses *losses,
		     const struct json_visitor *visitor, void *context);

/* A number that is not negative, in billionths of its unit. */
typedef unsigned __int128 json_amount;

#define JSON_BILLION 1000000000u
#define JSON_AMOUNT_MAX ((json_amount)INT64_MAX * JSON_BILLION)

/* Of the text of a number, rounded; false where it is negative or more than JSON_AMOUNT_MAX. */
bool json_amount_parse(const char *text, size_t length, json_amount *ret_amount);

#endif
