/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statement.h - SQLite statements: short calls, and errors in assay's words
 *
 * Works with any SQLite connection. database.h opens connections to recordings.
 */
#ifndef ASSAY_STORE_STATEMENT_H
#define ASSAY_STORE_STATEMENT_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

/*
 * Sets @err to a message about the last SQLite call on @db, which must have failed. @doing says
 * what the caller tried to do, such as "read". Returns the negative errno of the error.
 */
int statement_err(sqlite3 *db, const char *path, const char *doing, struct err *err);

/* Runs statements that return no rows. Returns 0 or an SQLite error code. */
int statement_exec(sqlite3 *db, const char *sql);

/*
 * Returns the integer that the query @sql returns. Returns @otherwise if the query fails or returns
 * no row.
 */
int64_t statement_integer(sqlite3 *db, const char *sql, int64_t otherwise);

static inline void statement_finalize(sqlite3_stmt **statement)
{
	(void)sqlite3_finalize(*statement);
}

#define _cleanup_statement_ _cleanup_(statement_finalize)

#endif
