/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/name_text.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"

/* Parses exactly @count lowercase digits. */
static bool read_digits(const char *text, size_t length, size_t count, uint32_t *ret_value)
{
	uint32_t value = 0;

	if (length < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (hex_digit(text[i]) < 0 || isupper((unsigned char)text[i]))
			return false;
		value = value << 4 | (uint32_t)hex_digit(text[i]);
	}
	*ret_value = value;
	return true;
}

/*
 * Reads an escape at the start of @text. Returns its length and in @ret_bytes what it stands for.
 * Returns 0 if there is no escape. Letters are never escaped, so "\x64" in the name of a directory
 * is not an escape.
 */
static size_t read_escape(const char *text, size_t length, char ret_bytes[static 4],
			  size_t *ret_count)
{
	static const char kinds[] = "xuU";
	static const size_t digits[] = { 2, 4, 8 };
	const char *kind = length > 2 && *text == '\\' && text[1] ? strchr(kinds, text[1]) : NULL;
	uint32_t code;

	if (!kind || !read_digits(text + 2, length - 2, digits[kind - kinds], &code))
		return 0;
	if (*kind == 'x' && (code == 0 || (code < 0x80 && isalpha((int)code))))
		return 0;
	if (*kind != 'x' && (!utf8_is_invisible(code) || (code > 0xffff) != (*kind == 'U')))
		return 0;
	*ret_bytes = (char)code;
	*ret_count = *kind == 'x' ? 1 : utf8_encode(code, ret_bytes);
	return 2 + digits[kind - kinds];
}

static bool looks_escaped(const struct name_cursor *cursor)
{
	size_t length = strnlen(cursor->at, NAME_TEXT_CHARACTER_MAX), count;
	char bytes[4];

	return read_escape(cursor->at, length, bytes, &count) > 0 ||
	       (cursor->at == cursor->name && strcmp(cursor->at, NAME_TEXT_EMPTY) == 0);
}

static bool is_needed(const struct name_cursor *cursor)
{
	if (*cursor->at == '\\')
		return looks_escaped(cursor);
	return cursor->needs && !isalpha((unsigned char)*cursor->at) &&
	       cursor->needs(cursor->name, cursor->at);
}

bool name_text_next(struct name_cursor *cursor, char ret_shown[static NAME_TEXT_CHARACTER_MAX])
{
	uint32_t code = 0;
	size_t length;

	if (!*cursor->at)
		return false;
	length = utf8_decode(cursor->at, &code);
	if (length == 0 || code < 0x20 || code == 0x7f || (length == 1 && is_needed(cursor))) {
		(void)snprintf(ret_shown, NAME_TEXT_CHARACTER_MAX, "\\x%02x",
			       (unsigned char)*cursor->at);
		length = 1;
	} else if (utf8_is_invisible(code)) {
		(void)snprintf(ret_shown, NAME_TEXT_CHARACTER_MAX,
			       code > 0xffff ? "\\U%08x" : "\\u%04x", code);
	} else {
		memcpy(ret_shown, cursor->at, length);
		ret_shown[length] = '\0';
	}
	cursor->at += length;
	return true;
}

void name_text_write(FILE *out, const char *name, name_needs_fn needs)
{
	struct name_cursor cursor = { .name = name, .at = name, .needs = needs };
	char shown[NAME_TEXT_CHARACTER_MAX];

	if (!*name && needs)
		(void)fputs(NAME_TEXT_EMPTY, out);
	while (name_text_next(&cursor, shown))
		(void)fputs(shown, out);
}

size_t name_text_read(const char *text, size_t length, char *ret_name)
{
	size_t written = 0, taken, count;

	if (length == strlen(NAME_TEXT_EMPTY) && memcmp(text, NAME_TEXT_EMPTY, length) == 0)
		return 0;
	for (size_t at = 0; at < length; at += taken) {
		char bytes[4] = { text[at] };

		count = 1;
		taken = read_escape(text + at, length - at, bytes, &count);
		if (taken == 0)
			taken = 1;
		memcpy(ret_name + written, bytes, count);
		written += count;
	}
	return written;
}
