/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row_table.h - writes and reads the dictionaries that are stored as table rows
 *
 * A dictionary is an array of the model, such as its threads or images. The id of a row in the file
 * is the row's index in that array. An id of 0 that means "none" in the model is also 0 in the
 * file. Unsigned 64-bit values are stored in SQLite's signed integers with the same bits: kernel
 * addresses look negative, and printf('%x') shows them correctly.
 */
#ifndef ASSAY_STORE_ROW_TABLE_H
#define ASSAY_STORE_ROW_TABLE_H

#include <sqlite3.h>

#include "model/model.h"

/*
 * The tables in the order in which they are read. Where possible a table comes after the tables
 * that it refers to.
 */
enum table_id {
	TABLE_EVENT,
	TABLE_IMAGE,
	TABLE_APPLICATION,
	TABLE_PROCESS,
	TABLE_THREAD,
	TABLE_MAPPING,		/* only in recordings of earlier versions; never written */
	TABLE_COUNT
};

struct table {
	const char *name;
	int columns;
	/*
	 * SQL clause that updates a row that already exists; NULL: inserting such a row is an error
	 */
	const char *on_conflict;
	const char *select;	/* query of all rows by ascending id; column 0 is the id */
	size_t first_id;
	size_t (*count)(const struct model *model);
	/*
	 * Binds all columns except the id. @at is the number of the id's parameter. NULL: the table
	 * is only read.
	 */
	void (*bind)(sqlite3_stmt *insert, int at, const struct model *model, size_t id);
	/* Appends zeroed rows, which mean "none", until the next id is @end. */
	int (*fill)(struct model *model, size_t end);
	/*
	 * Appends the current row of @select to the model. Returns 0, -ENOMEM, or -EBADMSG if the
	 * row is invalid. Does not check the row's references.
	 */
	int (*read)(sqlite3_stmt *select, struct model *model);
};

const struct table *table_of(enum table_id id);

/*
 * Returns the text of an INSERT statement for @row_count rows, or NULL if out of memory. The caller
 * frees it with sqlite3_free().
 */
char *table_insert_text(enum table_id id, int row_count);

/*
 * Binds the model's row @model_id to row number @row (counted from 0) of a statement from
 * table_insert_text().
 */
void table_bind(enum table_id id, sqlite3_stmt *insert, int row, const struct model *model,
		size_t model_id);

/* Interns a text column of a result as a string of the model. Returns 0 for NULL. */
uint32_t table_read_string(sqlite3_stmt *select, int column, struct model *model);

#endif
