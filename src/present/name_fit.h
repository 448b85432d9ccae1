/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_fit.h - shortens names that are wider than their place
 *
 * Private to present/. All names in tables and flame graphs are shortened here, so that they look
 * alike everywhere. flame.js follows the same rule when a box changes its width.
 *
 * A long name loses first what tells least about it: the template arguments, beginning with the
 * longest of the innermost ones, then the arguments of functions, then its middle. The end of the
 * name of a C++ function says which function of a class it is, so it is kept as long as its
 * beginning. An argument list loses its end, and only as much as necessary:
 *	hash_table<hash_map<timer::timevar_def*, simple_hashmap_traits<...> >::hash_entry>::find
 *
 * Names are not escaped yet. The width of a character is that of its escape.
 */
#ifndef ASSAY_PRESENT_NAME_FIT_H
#define ASSAY_PRESENT_NAME_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "present/escape.h"

/* How the output shows characters, and what stands for the part of a name that was left out. */
struct name_style {
	/* like escape_next() */
	size_t (*next)(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);
	const char *dots;
	size_t dots_columns;
};

extern const struct name_style name_style_text;		/* "..." */

/* Return the width in columns of @text, or of its first @length bytes. */
size_t name_width(const struct name_style *style, const char *text);
size_t name_width_of(const struct name_style *style, const char *text, size_t length);

/*
 * Returns @text shortened to at most @columns columns, which the caller frees, or NULL if out of
 * memory.
 */
char *name_shorten(const struct name_style *style, const char *text, size_t columns);

/*
 * A name with what belongs to it. The head, such as the lines of a tree, and the mark, such as
 * " (inlined)", are not shortened as long as there is room for the name. The note is what else is
 * known about the name, such as " (between a and b)". It is the first to be shortened or left out.
 */
struct name_parts {
	const char *text;	/* head, name, mark and note, one after another */
	size_t head, name, mark;/* their lengths in bytes; the note has the rest */
};

/* A name in a list, such as a column of a table. */
struct name_in_list {
	struct name_parts parts;
	size_t number;		/* the caller's number of the name */
	char *shown;		/* what to show, freed by the caller */
};

/*
 * Shortens the names of a list to @columns columns, or from their beginning if @keep_end, as for
 * paths. Two different names never become equal: such names are made longer than @columns until
 * they differ. The order of the list is not kept. Returns 0 or -ENOMEM.
 */
int names_fit(struct name_in_list *names, size_t count, size_t columns, bool keep_end);

#endif
