/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h - names from targets, made safe to print
 *
 * Commands, functions, files and cgroups are named by whoever ran, and a name can carry what
 * moves a terminal's cursor, ends a JSON string or turns a line of text around.  Every name
 * leaves the program through one of these.
 *
 * Shown as they are: printable characters of valid UTF-8.  Shown as \xNN: control bytes and
 * bytes that are no valid UTF-8.  Shown as \uNNNN or \UNNNNNNNN: C1 controls, direction marks
 * and overrides, line and paragraph separators, characters without a shape (Unicode 15,
 * General_Category Cc, Zl, Zp; Default_Ignorable_Code_Point), U+FFFE and U+FFFF.  A backslash is
 * shown as two, so that no name can look like another's escape.
 */
#ifndef ASSAY_PRESENT_ESCAPE_H
#define ASSAY_PRESENT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

#define ESCAPE_CHARACTER_MAX 12	/* bytes of one shown character or escape, with NUL */

/*
 * The next character of *text as it may be shown; moves *text behind it. Returns the columns
 * it takes on a terminal (an escape takes its length, a character one), 0 at the end.
 */
size_t escape_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);

/* For terminals. */
void escape_text(FILE *out, const char *text);

/*
 * The next character of source code, where a backslash stays one: it is full of them, and that a
 * line may look like an escape harms nobody.
 */
size_t escape_code_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);

/*
 * A JSON string with its quotes (RFC 8259). Bytes that are no valid UTF-8 become U+FFFD, as
 * JSON cannot hold them.
 */
void escape_json(FILE *out, const char *text);

/*
 * A CSV field (RFC 4180), made safe as for terminals and quoted where it needs to be.  What a
 * spreadsheet would take for a formula (= + - @ in front, and no number) gets a ' before it.
 */
void escape_csv(FILE *out, const char *text);

/*
 * One of several names that stand in one text with semicolons between them, not yet made safe to
 * print: the whole text still is to go through one of the others.  Inside a name a semicolon
 * becomes %3b, and a % becomes %25 where it would look like one of these two, so that each text
 * has one reading and names that have neither stay as they are.
 */
void escape_joined(FILE *out, const char *name);

/*
 * Character data or an attribute's value of XML 1.0, made safe as for terminals, as XML has no
 * place for most control characters, not even as references. At most @columns columns of type
 * of one width, the last of them an ellipsis where the text is longer; what is not ASCII is
 * taken to be two wide. @out NULL only measures. Returns the bytes (to be) written.
 */
size_t escape_xml(FILE *out, const char *text, size_t columns);

#endif
