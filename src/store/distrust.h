/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distrust.h - protection against recordings from untrusted sources
 *
 * A SQLite file can contain code as well as data: the table `image` can be replaced by a view that
 * never ends, a column can be computed, a trigger can run statements. Files that assay writes
 * contain no such code. A file that contains such code is refused before its tables are read.
 *
 * A check of the schema cannot find pages that refer to each other in a cycle and so yield more
 * rows than the file has bytes. To stop such a read, the number of steps of SQLite's virtual
 * machine is limited. A reader takes only a few steps for each row, and each row of a valid file
 * needs some bytes, so the limit depends on the size of the file.
 *
 * The check of the schema looks at the kinds of objects and does not compare the schema's text. The
 * text may differ in valid files, because new columns and tables do not raise the schema's version
 * (schema.h), and because users add indexes and views of their own.
 */
#ifndef ASSAY_STORE_DISTRUST_H
#define ASSAY_STORE_DISTRUST_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Limits the number of steps of SQLite's virtual machine that all statements on @db together may
 * take. The limit grows with @size_bytes. Beyond the limit, statements fail with SQLITE_INTERRUPT.
 * *@steps_left counts the remaining steps. It must exist until @db is closed or distrust_lift() is
 * called.
 */
void distrust_limit(sqlite3 *db, uint64_t size_bytes, int64_t *steps_left);
void distrust_lift(sqlite3 *db);

/*
 * Returns true if SQLite knows @table as an ordinary table. Files of earlier recorders lack some
 * tables.
 */
bool distrust_has_table(sqlite3 *db, const char *table);

/*
 * Returns -EINVAL if @table is missing, is not an ordinary table, or has computed columns. The
 * message names @path and the reason.
 */
int distrust_check_table(sqlite3 *db, const char *path, const char *table, struct err *err);

/*
 * Returns -EINVAL if the schema contains something that no recorder writes. The message names @path
 * and the offending object.
 */
int distrust_check_schema(sqlite3 *db, const char *path, struct err *err);

#endif
