/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/text_lines.h"

#include <string.h>

struct text_lines {
	const struct text_reader *reader;
	bool in_long_line;
};

static int take_line(const struct text_lines *lines, const char *text, size_t length, bool is_cut,
		     struct err *err)
{
	const struct text_reader *reader = lines->reader;
	text_line_fn take = is_cut && reader->take_cut ? reader->take_cut : reader->take;

	if (length > 0 && text[length - 1] == '\r')
		length--;
	return take(reader->context, text, length, err);
}

/*
 * Passes all complete lines to the callback. If @last is true, also passes the text after the last
 * newline.
 */
static int take_lines(struct text_lines *lines, const char *text, size_t size_bytes, bool last,
		      size_t *ret_taken, struct err *err)
{
	size_t at = 0;

	while (at < size_bytes) {
		const char *newline = memchr(text + at, '\n', size_bytes - at);
		size_t length = newline ? (size_t)(newline - text) - at : size_bytes - at;

		if (!newline && !last)
			break;
		if (!lines->in_long_line) {
			int rc = take_line(lines, text + at, length, !newline, err);

			if (rc != 0)
				return rc;
		}
		lines->in_long_line = false;
		at += length + (newline != NULL);
	}
	*ret_taken = at;
	return 0;
}

int text_lines_read(struct byte_source *source, struct losses *losses,
		    const struct text_reader *reader, struct err *err)
{
	struct text_lines lines = { .reader = reader };
	const uint8_t *bytes;
	size_t size, taken;
	int rc;

	for (;;) {
		rc = byte_source_peek(source, source->room_bytes, &bytes, &size);
		if (rc < 0 || size == 0)
			return rc;
		rc = take_lines(&lines, (const char *)bytes, size, size < source->room_bytes,
				&taken, err);
		if (rc != 0)
			return rc;
		if (taken == 0) {
			if (!lines.in_long_line)
				loss_add(losses, LOSS_LINE_MALFORMED, 1);
			lines.in_long_line = true;
			taken = size;
		}
		byte_source_take(source, taken);
	}
}
