/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - the dictionaries as rows: each table's writing and reading side by side
 *
 * A row's id is the model's id.  What is 0 ("none") in the model is 0 in the file.  Unsigned
 * 64-bit values are stored as SQLite's signed ones, bit for bit: kernel addresses look
 * negative, and printf('%x') shows them as they are.
 */
#ifndef ASSAY_STORE_TABLE_H
#define ASSAY_STORE_TABLE_H

#include <sqlite3.h>

#include "model/model.h"

/* In the order in which they are read: what a row refers to comes before it where it can. */
enum table_id {
	TABLE_EVENT,
	TABLE_IMAGE,
	TABLE_APPLICATION,
	TABLE_PROCESS,
	TABLE_THREAD,
	TABLE_MAPPING,
	TABLE_COUNT
};

struct table {
	const char *name;
	int columns;
	const char *on_conflict;	/* what an insertion does then; NULL: fails */
	const char *select;	/* by id; column 0 is the id */
	size_t first_id;
	size_t (*count)(const struct model *model);
	/* The columns but the id, whose parameter is number @at. */
	void (*bind)(sqlite3_stmt *insert, int at, const struct model *model, size_t id);
	/* Appends zero rows, which is what "none" looks like, until @end is the next id. */
	int (*fill)(struct model *model, size_t end);
	/* Appends the row to the model: 0, -EBADMSG when it cannot be true, -ENOMEM. Its
	 * references are not checked. */
	int (*read)(sqlite3_stmt *select, struct model *model);
};

const struct table *table_of(enum table_id id);

/* A statement that inserts @row_count rows; to be given to sqlite3_free(), NULL: no memory. */
char *table_insert_text(enum table_id id, int row_count);

/* All parameters of row number @row (from 0) of such a statement. */
void table_bind(enum table_id id, sqlite3_stmt *insert, int row, const struct model *model,
		size_t model_id);

/* Column of a result as a string of the model; 0 for NULL. */
uint32_t table_read_string(sqlite3_stmt *select, int column, struct model *model);

#endif
