/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - prints aligned columns of text
 *
 *	const struct table_column columns[] = { RIGHT("hits"), RIGHT("share"), LEFT("name") };
 *	struct table table = { .columns = columns, .column_count = 3, .width = 80 };
 *	table_cell(&table, "%d", 1); ...	adds the cells, row by row
 *	table_print(&table, out);		prints titles and rows, and frees the cells
 *
 * Numbers are right-aligned and names left-aligned. A column is as wide as its widest cell. The
 * last column is not padded. Cells hold unescaped names. table_print() escapes the names, because
 * only table_print() knows the available width.
 *
 * If the table must fit into a width, each column that has a maximum width is cut to this maximum,
 * and the last column gets the remaining width. A name that is too long is shortened as name_fit.h
 * says. A path that is too long loses its beginning. Different cells of a column stay different, so
 * a cell may be wider than its column. Prose is wrapped and not cut.
 *
 * A table without rows prints "none". If memory ran out, the complete rows are printed and
 * table_print() returns -ENOMEM.
 */
#ifndef ASSAY_PRESENT_TABLE_H
#define ASSAY_PRESENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/vec.h"
#include "present/palette.h"

#define TABLE_COLUMNS_MAX 24
#define TABLE_LAST_MIN 12	/* minimum width of the last column */

enum table_cut { CUT_NAME, CUT_HEAD, CUT_WRAP };

struct table_column {
	const char *title;
	bool left;		/* left-aligned if true, otherwise right-aligned */
	enum table_cut cut;	/* CUT_WRAP is for the last column only */
	/* maximum width in columns when the table must fit a terminal; 0: no limit */
	size_t max;
	/*
	 * cells are source code, so backslashes are not doubled (see escape.h), and a long line
	 * loses its end; only with CUT_NAME
	 */
	bool code;
};

#define LEFT(title_) \
	{ \
		.title = (title_), .left = true \
	}
#define PATH(title_, max_) \
	{ \
		.title = (title_), .left = true, .cut = CUT_HEAD, .max = (max_) \
	}
#define PROSE(title_) \
	{ \
		.title = (title_), .left = true, .cut = CUT_WRAP \
	}
#define RIGHT(title_) \
	{ \
		.title = (title_), .left = false \
	}

/* The color of a cell: that of an image, or that of marks. */
struct table_paint {
	size_t cell;		/* index in table.cells */
	uint64_t image;
	bool is_mark;
};

/* The text of a cell. The lengths of its parts are as in struct name_parts. */
struct table_text {
	size_t at;		/* offset in table.bytes */
	size_t head, name, mark;
};

/* A line of text across the table, between two rows. */
struct table_span {
	size_t above;		/* number of cells above the line */
	size_t text;		/* offset of the line's text in table.bytes */
	bool code;		/* as in struct table_column */
};

struct table {
	const struct table_column *columns;	/* borrowed */
	size_t column_count;
	size_t width;				/* width to fit into; 0: no limit */
	/* text of all cells, one after another, each with its NUL */
	VEC(char) bytes;
	VEC(struct table_text) cells;
	/* horizontal rules, each given by the number of cells above it */
	VEC(size_t) rules;
	VEC(struct table_span) spans;
	const struct palette *palette;		/* borrowed; NULL: no colors */
	VEC(struct table_paint) paints;		/* sorted by cell */
	bool failed;				/* true if an allocation failed */
};

void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_name(struct table *table, const char *name);

/* Gives the cell that was added last the color of an image. */
void table_paint_image(struct table *table, uint64_t image);
/* Adds a cell with a mark such as "~", in the color of marks. */
void table_mark(struct table *table, const char *mark);
/* Adds a cell with a name and what belongs to it. All may be "". See struct name_parts. */
void table_parts(struct table *table, const char *head, const char *name, const char *mark,
		 const char *note);

/* Adds a horizontal rule across the table, below the rows added so far. */
void table_rule(struct table *table);

/*
 * Adds a line of text that spans all columns, below the rows added so far. The line is cut if the
 * table must fit a width. @code is true if the text is source code.
 */
void table_span(struct table *table, const char *text, bool code);

int table_print(struct table *table, FILE *out);

/*
 * Prints @text, escaped and broken at blanks into lines of at most @width columns. The caller must
 * have written @indent columns already; the second and later lines are indented by @indent columns.
 * There is no line end after the last line.
 */
void wrap_text(FILE *out, const char *text, size_t indent, size_t width);

#endif
