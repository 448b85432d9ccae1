/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h - makes names from targets safe to print
 *
 * The names of commands, functions, files and cgroups are chosen by the profiled programs. A name
 * can contain bytes that move a terminal's cursor, end a JSON string or reverse the direction of
 * text. Every name is printed through one of these functions:
 *
 * - Printable characters of valid UTF-8 are shown unchanged.
 * - Control bytes and bytes that are not valid UTF-8 are shown as \xNN.
 * - The following are shown as \uNNNN or \UNNNNNNNN: C1 controls, direction marks and overrides,
 *   line and paragraph separators, invisible characters (Unicode 15, General_Category Cc, Zl, Zp;
 *   Default_Ignorable_Code_Point), U+FFFE and U+FFFF.
 * - A backslash is doubled, so that no name can look like an escape of another name.
 */
#ifndef ASSAY_PRESENT_ESCAPE_H
#define ASSAY_PRESENT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

#define ESCAPE_CHARACTER_MAX 12	/* maximum bytes of a character or escape as shown, with NUL */

/*
 * Writes the next character of *text in its safe form and advances *text past it. Returns the width
 * of the safe form on a terminal in columns: the length of an escape, or 1 for a character. Returns
 * 0 at the end of the text.
 */
size_t escape_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);

/* Prints text to a terminal. */
void escape_text(FILE *out, const char *text);

/*
 * Like escape_next(), but for source code, where backslashes are not doubled. Code contains many
 * backslashes, and a line of code that looks like an escape does no harm.
 */
size_t escape_code_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);

/*
 * Prints a JSON string with its quotes (RFC 8259). Bytes that are not valid UTF-8 become U+FFFD,
 * because JSON cannot represent them.
 */
void escape_json(FILE *out, const char *text);

/*
 * Prints a CSV field (RFC 4180), escaped as for terminals and quoted if necessary. A field that a
 * spreadsheet would treat as a formula (it begins with = + - @ and is not a number) is prefixed
 * with a '.
 */
void escape_csv(FILE *out, const char *text);

/*
 * Writes one name of a list of names that are joined by semicolons. The result is not yet safe: it
 * must still be printed by one of the other functions. In the name, a semicolon becomes %3b. A %
 * becomes %25, but only where it would otherwise begin "%3b" or "%25". So the list can be split in
 * only one way, and names without these sequences are unchanged.
 */
void escape_joined(FILE *out, const char *name);

/*
 * Writes character data or an attribute value of XML 1.0, escaped as for terminals, because XML
 * cannot represent most control characters even as references. Writes at most @columns columns of
 * monospaced type; longer text ends with an ellipsis. Characters outside ASCII count as two
 * columns. If @out is NULL, only measures. Returns the number of bytes.
 */
size_t escape_xml(FILE *out, const char *text, size_t columns);

#endif
