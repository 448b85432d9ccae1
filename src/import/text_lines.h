/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_lines.h - read a text line by line
 *
 * The text may contain any bytes. A line that is longer than the buffer of the byte source is
 * skipped and counted as LOSS_LINE_MALFORMED.
 */
#ifndef ASSAY_IMPORT_TEXT_LINES_H
#define ASSAY_IMPORT_TEXT_LINES_H

#include <stddef.h>

#include "base/err.h"
#include "import/byte_source.h"
#include "model/loss.h"

/*
 * Callback that receives one line. @text is not NUL-terminated and does not include the "\n" or
 * "\r\n" at its end. If the callback returns a value other than 0, reading stops.
 */
typedef int (*text_line_fn)(void *context, const char *text, size_t length, struct err *err);

struct text_reader {
	text_line_fn take;
	text_line_fn take_cut;		/* receives a last line without newline; NULL: take */
	void *context;
};

/* Reads the rest of @source. Returns 0, what a callback returned, or the error of read(2). */
int text_lines_read(struct byte_source *source, struct losses *losses,
		    const struct text_reader *reader, struct err *err);

#endif
