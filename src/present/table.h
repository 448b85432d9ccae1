/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - aligned columns of text
 *
 *	const struct table_column columns[] = { RIGHT("hits"), RIGHT("share"), LEFT("name") };
 *	struct table table = { .columns = columns, .column_count = 3, .width = 80 };
 *	table_cell(&table, "%d", 1); ...	row by row, cell by cell
 *	table_print(&table, out);		with titles, and frees the cells
 *
 * Numbers stand to the right, names to the left; a column is as wide as its widest cell, and
 * the last one is not padded.  Cells hold names as they are: they are made safe on printing,
 * which also knows how much room they have.  Where the table is to fit in a width, columns
 * with a limit are cut to it and the last column gets what is left: names are cut at the end,
 * paths at the head, prose is wrapped.
 *
 * A table without rows prints "none".  When out of memory the rows that are there are printed
 * and table_print() says -ENOMEM.
 */
#ifndef ASSAY_PRESENT_TABLE_H
#define ASSAY_PRESENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/vec.h"

#define TABLE_COLUMNS_MAX 20
#define TABLE_LAST_MIN 12	/* columns that the last one gets at least */

enum table_cut { CUT_END, CUT_HEAD, CUT_WRAP };

struct table_column {
	const char *title;
	bool left;		/* else right-aligned */
	enum table_cut cut;	/* CUT_WRAP: the last column only */
	size_t max;		/* columns on the terminal; 0: as wide as it needs */
	bool code;		/* cells are source code: see escape.h; with CUT_END only */
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

/* A line of its own between rows. */
struct table_span {
	size_t above;		/* cells that stand above it */
	size_t text;		/* where it begins in the bytes */
	bool code;		/* as of a column */
};

struct table {
	const struct table_column *columns;	/* not owned */
	size_t column_count;
	size_t width;				/* to fit in; 0: as wide as it gets */
	VEC(char) bytes;			/* cells, NUL-terminated, one after the other */
	VEC(size_t) cells;			/* where each begins */
	VEC(size_t) rules;			/* how many cells stand above each */
	VEC(struct table_span) spans;
	bool failed;				/* out of memory */
};

void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_name(struct table *table, const char *name);

/* A line across the table, below the rows so far. */
void table_rule(struct table *table);

/*
 * Text that stands across all columns, below the rows so far, cut where the table is too wide.
 * @code: it is source code.
 */
void table_span(struct table *table, const char *text, bool code);

int table_print(struct table *table, FILE *out);

/*
 * Words of @text, made safe, broken into lines of at most @width columns, the second and later
 * ones indented by @indent columns; the first is taken to begin there already.  No line end
 * after the last one.
 */
void wrap_text(FILE *out, const char *text, size_t indent, size_t width);

#endif
