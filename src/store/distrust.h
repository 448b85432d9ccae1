/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distrust.h - a file that anybody may have made
 *
 * A SQLite file is a program as much as it is data: where a reader expects the table `image`
 * there can be a view that never ends, a column can be computed, a trigger can act.  What
 * assay writes has none of it, so a file that does is refused before its tables are asked.
 * What a schema cannot show, pages that contain each other and so hold more rows than the disk
 * has bytes, runs out of steps: a reader takes a few for each row, and a row takes bytes.
 *
 * Refusing by shape and not by comparing the text of the schema: new columns and tables do not
 * raise its version (schema.h), and people add indexes and views of their own.
 */
#ifndef ASSAY_STORE_DISTRUST_H
#define ASSAY_STORE_DISTRUST_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Statements on @db end with SQLITE_INTERRUPT when they together took more steps of SQLite's
 * machine than a file of @size_bytes is worth. *@steps_left is the count, and must live as long
 * as @db or until distrust_lift().
 */
void distrust_limit(sqlite3 *db, uint64_t size_bytes, int64_t *steps_left);
void distrust_lift(sqlite3 *db);

/* Is it a table, by SQLite's own idea? Some are not in files of earlier recorders. */
bool distrust_has_table(sqlite3 *db, const char *table);

/* -EINVAL, naming @path and what of its schema no recorder makes. */
int distrust_check_schema(sqlite3 *db, const char *path, struct err *err);

#endif
