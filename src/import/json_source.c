/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/json_source.h"

#include <errno.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define MANTISSA_MAX (UINT64_MAX / 10 - 1)	/* larger mantissas could overflow */
#define EXPONENT_MAX 400

struct reading {
	const struct json_visitor *visitor;
	void *context;
	unsigned int depth;
	bool moved;		/* a value ended in the current piece of text */
	int rc;			/* result of the visitor */
};

/* ---- numbers ---- */

struct digits {
	uint64_t mantissa;
	int exponent;
};

/*
 * Reads digits starting at index @at and returns the index after them. If the mantissa is full,
 * further digits are dropped. Each dropped digit of the integer part adds one to the exponent.
 */
static size_t take_digits(const char *text, size_t at, size_t length, bool fraction,
			  struct digits *digits)
{
	for (; at < length && text[at] >= '0' && text[at] <= '9'; at++) {
		bool fits = digits->mantissa <= MANTISSA_MAX;

		if (fits)
			digits->mantissa = digits->mantissa * 10 + (uint64_t)(text[at] - '0');
		if (fits == fraction && digits->exponent > -EXPONENT_MAX &&
		    digits->exponent < EXPONENT_MAX)
			digits->exponent += fraction ? -1 : 1;
	}
	return at;
}

static int take_exponent(const char *text, size_t at, size_t length)
{
	bool negative = at < length && text[at] == '-';
	int exponent = 0;

	if (at < length && (text[at] == '-' || text[at] == '+'))
		at++;
	for (; at < length && exponent < EXPONENT_MAX; at++)
		exponent = exponent * 10 + (text[at] - '0');
	return negative ? -exponent : exponent;
}

static bool scale(struct digits digits, json_amount *ret_amount)
{
	json_amount amount = digits.mantissa;
	int shift = digits.exponent + 9;

	for (; shift > 0 && amount && amount <= JSON_AMOUNT_MAX; shift--)
		amount *= 10;
	for (; shift < -1 && amount; shift++)
		amount /= 10;
	*ret_amount = shift < 0 ? (amount + 5) / 10 : amount;
	return *ret_amount <= JSON_AMOUNT_MAX;
}

bool json_amount_parse(const char *text, size_t length, json_amount *ret_amount)
{
	bool negative = length > 0 && text[0] == '-';
	struct digits digits = { 0 };
	size_t at = take_digits(text, negative, length, false, &digits);

	if (at < length && text[at] == '.')
		at = take_digits(text, at + 1, length, true, &digits);
	if (at < length && (text[at] == 'e' || text[at] == 'E'))
		digits.exponent += take_exponent(text, at + 1, length);
	return scale(digits, ret_amount) && (!negative || digits.mantissa == 0);
}

/* ---- yajl callbacks ---- */

/*
 * Returns the result of a yajl callback: 0 stops the parser. Keeps @rc, the result of the visitor.
 */
static int go_on(struct reading *reading, int rc)
{
	reading->moved = true;
	reading->rc = rc;
	return rc == 0;
}

static int on_open(struct reading *reading, char bracket)
{
	if (++reading->depth > JSON_DEPTH_LIMIT)
		return 0;
	return go_on(reading, reading->visitor->open(reading->context, bracket));
}

static int on_close(void *context)
{
	struct reading *reading = context;

	reading->depth--;
	return go_on(reading, reading->visitor->close(reading->context));
}

static int on_map(void *context)
{
	return on_open(context, '{');
}

static int on_array(void *context)
{
	return on_open(context, '[');
}

static int on_key(void *context, const unsigned char *text, size_t length)
{
	struct reading *reading = context;

	return go_on(reading, reading->visitor->key(reading->context, (const char *)text, length));
}

static int on_string(void *context, const unsigned char *text, size_t length)
{
	struct reading *reading = context;

	return go_on(reading,
		     reading->visitor->string(reading->context, (const char *)text, length));
}

static int on_number(void *context, const char *text, size_t length)
{
	struct reading *reading = context;

	return go_on(reading, reading->visitor->number(reading->context, text, length));
}

static int on_null(void *context)
{
	struct reading *reading = context;

	return go_on(reading, reading->visitor->other(reading->context));
}

static int on_boolean(void *context, int value)
{
	(void)value;
	return on_null(context);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_map,
	.yajl_map_key = on_key,
	.yajl_end_map = on_close,
	.yajl_start_array = on_array,
	.yajl_end_array = on_close,
};

/* ---- the text ---- */

static int skip_mark(struct byte_source *source)
{
	const size_t length = strlen(BYTE_ORDER_MARK);
	const uint8_t *bytes;
	size_t size;
	int rc = byte_source_peek(source, length, &bytes, &size);

	if (rc < 0)
		return rc;
	if (size == length && memcmp(bytes, BYTE_ORDER_MARK, length) == 0)
		byte_source_take(source, length);
	return 0;
}

/* Skips the rest of the text and counts it as lost. */
static int give_up(struct byte_source *source, struct losses *losses, size_t used)
{
	uint64_t skipped;
	int rc;

	byte_source_take(source, used);
	rc = byte_source_skip(source, UINT64_MAX, &skipped);
	loss_add(losses, LOSS_FILE_CUT, skipped ? skipped : 1);
	return rc;
}

static int feed(struct reading *reading, yajl_handle parser, struct byte_source *source,
		struct losses *losses)
{
	size_t waiting = 0, size;
	const uint8_t *bytes;
	int rc = skip_mark(source);

	if (rc < 0)
		return rc;
	for (;;) {
		rc = byte_source_peek(source, source->room_bytes, &bytes, &size);
		if (rc < 0)
			return rc;
		if (size == 0)
			break;
		reading->moved = false;
		if (yajl_parse(parser, bytes, size) != yajl_status_ok)
			return reading->rc < 0
				       ? reading->rc
				       : give_up(source, losses, yajl_get_bytes_consumed(parser));
		waiting = reading->moved ? 0 : waiting + size;
		if (waiting > JSON_TOKEN_MAX)
			return give_up(source, losses, 0);
		byte_source_take(source, size);
	}
	if (yajl_complete_parse(parser) != yajl_status_ok && reading->rc == 0)
		loss_add(losses, LOSS_FILE_CUT, 1);
	return reading->rc;
}

int json_source_read(struct byte_source *source, struct losses *losses,
		     const struct json_visitor *visitor, void *context)
{
	struct reading reading = { .visitor = visitor, .context = context };
	yajl_handle parser = yajl_alloc(&callbacks, NULL, &reading);
	int rc;

	if (!parser)
		return -ENOMEM;
	(void)yajl_config(parser, yajl_dont_validate_strings, 1);
	rc = feed(&reading, parser, source, losses);
	yajl_free(parser);
	return rc;
}
