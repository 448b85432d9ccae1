/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_screen.h - shows lines of text on the whole terminal, and reads keys
 *
 * The implementation is the only file that uses ncurses. There is only one screen, so these
 * functions take no screen argument.
 */
#ifndef ASSAY_CLI_TOP_SCREEN_H
#define ASSAY_CLI_TOP_SCREEN_H

#include <stddef.h>

#include "base/err.h"

/*
 * Opens the screen. stdin and stdout must be a terminal, and terminfo must know its type ($TERM).
 * If this process is killed, a guard process restores the terminal and calls @clean_up with
 * @context.
 */
int top_screen_open(void (*clean_up)(void *context), void *context, struct err *err);
void top_screen_close(void);

size_t top_screen_columns(void);
size_t top_screen_lines(void);

/*
 * Shows the lines of @text. The first line and the line with index @titles are bold. The line with
 * index @selected is highlighted (SIZE_MAX: none). @bottom is shown in the last line of the screen.
 * If @is_typed is true, the user is typing the text in @bottom, so the cursor is shown after
 * @bottom.
 */
void top_screen_show(const char *text, size_t titles, size_t selected, const char *bottom,
		     int is_typed);

/*
 * Returns the next pending key, a character or an enum top_key. Returns TOP_KEY_NONE if no key is
 * pending.
 */
int top_screen_key(void);

#endif
