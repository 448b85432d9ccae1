/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_lines.h - a text line by line, whatever is in it
 *
 * A line that is longer than the buffer of its source is passed over, in pieces, and counted as
 * LOSS_LINE_MALFORMED.
 */
#ifndef ASSAY_IMPORT_TEXT_LINES_H
#define ASSAY_IMPORT_TEXT_LINES_H

#include <stddef.h>

#include "base/err.h"
#include "import/byte_source.h"
#include "model/loss.h"

/* @text: without its end, "\n" or "\r\n"; not terminated. Not 0: no more is read. */
typedef int (*text_line_fn)(void *context, const char *text, size_t length, struct err *err);

/* All that is left of @source. 0, what @take returned, or the error of read(2). */
int text_lines_read(struct byte_source *source, struct losses *losses, text_line_fn take,
		    void *context, struct err *err);

#endif
