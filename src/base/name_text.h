/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_text.h - write names into texts that programs read, and read them back
 *
 * Profiled programs choose their names, so a name can contain bytes that move a terminal's cursor,
 * end a line or separate the fields of a text. These two functions are a pair: name_text_read()
 * returns exactly the bytes that name_text_next() wrote. Almost all names are written unchanged.
 *
 * - Control bytes and bytes that are not valid UTF-8 become \xNN, with two lowercase digits.
 * - Characters that cannot be seen (utf8.h) become \uNNNN or \UNNNNNNNN.
 * - Characters that the format of the text needs for itself become \xNN, too (name_needs_fn).
 * - A backslash becomes \x5c if it would otherwise begin one of these escapes. Any other backslash
 *   is unchanged, as other readers expect.
 * - A name without characters becomes \x00, where a format cannot have empty fields.
 *
 * Texts that people read use present/escape.h, which doubles backslashes.
 */
#ifndef ASSAY_BASE_NAME_TEXT_H
#define ASSAY_BASE_NAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* maximum bytes of one character or its escape, including the NUL */
#define NAME_TEXT_CHARACTER_MAX 12

#define NAME_TEXT_EMPTY "\\x00"

/*
 * Returns true if the format needs the character at @at for itself. @name is the whole name. Only
 * called for printable characters of ASCII other than letters and backslashes.
 */
typedef bool (*name_needs_fn)(const char *name, const char *at);

/* The name that is written, and the next character of it. */
struct name_cursor {
	const char *name, *at;
	name_needs_fn needs;		/* may be NULL */
};

/*
 * Stores the next character, escaped if necessary, and advances the cursor. Returns false at the
 * end of the name.
 */
bool name_text_next(struct name_cursor *cursor, char ret_shown[static NAME_TEXT_CHARACTER_MAX]);

/* Writes a whole name. An empty name becomes NAME_TEXT_EMPTY if @needs is not NULL. */
void name_text_write(FILE *out, const char *name, name_needs_fn needs);

/*
 * Replaces the escapes in @length bytes of @text, which need no NUL, and stores the name at
 * @ret_name. The name is never longer than the text; both may be the same. Returns its length.
 */
size_t name_text_read(const char *text, size_t length, char *ret_name);

#endif
