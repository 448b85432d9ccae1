/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h - makes names from targets safe to print
 *
 * The names of commands, functions, files and cgroups are chosen by the profiled programs. A name
 * can contain bytes that move a terminal's cursor, end a JSON string or reverse the direction of
 * text. Therefore every name is printed through one of the functions below. Unless a function's
 * comment says otherwise, names are escaped as follows:
 *
 * - Printable characters of valid UTF-8 are shown unchanged.
 * - Control bytes and bytes that are not valid UTF-8 are shown as \xNN.
 * - Characters that cannot be seen (base/utf8.h) are shown as \uNNNN or \UNNNNNNNN.
 * - A backslash is doubled, so that no name can look like an escape of another name.
 */
#ifndef ASSAY_PRESENT_ESCAPE_H
#define ASSAY_PRESENT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* maximum bytes of one character or its escape, including the NUL */
#define ESCAPE_CHARACTER_MAX 12

/*
 * Writes the next character of *text to @ret_shown, escaped if necessary, and advances *text past
 * it. Returns the number of terminal columns that @ret_shown takes: the length of an escape, or 1
 * for a character that is not escaped. Returns 0 at the end of the text.
 */
size_t escape_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);

/*
 * Like escape_next(), but for outputs whose fonts are not known: returns 2 for a character outside
 * ASCII, because such characters may be two columns wide.
 */
size_t escape_wide_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);

/* Prints text to a terminal, escaped. */
void escape_text(FILE *out, const char *text);

/*
 * Like escape_next(), but for source code, where backslashes are not doubled. Code contains many
 * backslashes, and a line of code that looks like an escape does no harm.
 */
size_t escape_code_next(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);

/*
 * Prints a JSON string (RFC 8259), including its quotes. Each byte that is not valid UTF-8 is
 * replaced by U+FFFD, because JSON cannot represent it. Invisible characters are shown as JSON
 * escapes.
 */
void escape_json(FILE *out, const char *text);

/*
 * Prints a CSV field (RFC 4180), escaped as by base/name_text.h, that is without doubled
 * backslashes, and quoted if necessary. A spreadsheet
 * would treat a field as a formula if it begins with =, +, - or @ and is not a number. Such a field
 * gets the prefix '.
 */
void escape_csv(FILE *out, const char *text);

/*
 * Writes one name of a list of names that are joined by semicolons. Each semicolon in the name is
 * written as %3b. A % is written as %25 if it begins "%3b" or "%25"; any other % is unchanged. So
 * the list can be split in only one way, and a name without these sequences is unchanged. The
 * result is not escaped for any output format yet, so the caller must print it through one of the
 * other functions.
 */
void escape_joined(FILE *out, const char *name);

/*
 * Writes @text as character data or as an attribute value of XML 1.0. Control characters are
 * escaped as for terminals, because XML cannot represent most of them even as character references.
 * If @out is NULL, nothing is written. Returns the number of bytes written, or the number that
 * would be written if @out is NULL.
 */
size_t escape_xml(FILE *out, const char *text);

#endif
