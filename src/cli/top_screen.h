/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_screen.h - lines of text on the whole of a terminal, and keys from it
 *
 * The only place that knows ncurses.  One screen at a time.
 */
#ifndef ASSAY_CLI_TOP_SCREEN_H
#define ASSAY_CLI_TOP_SCREEN_H

#include <stddef.h>

#include "base/err.h"

/*
 * stdin and stdout must be a terminal, whose kind $TERM names.  @clean_up is called with @context
 * by another process when this one was killed.
 */
int top_screen_open(void (*clean_up)(void *context), void *context, struct err *err);
void top_screen_close(void);

size_t top_screen_columns(void);
size_t top_screen_lines(void);

/*
 * @text holds lines; line @titles is set off, as is line @selected (SIZE_MAX: none); @bottom stands
 * in the last line, with the cursor behind it where something is typed there.
 */
void top_screen_show(const char *text, size_t titles, size_t selected, const char *bottom,
		     int is_typed);

/* The next key that waits: a character or enum top_key; TOP_KEY_NONE: none does. */
int top_screen_key(void);

#endif
