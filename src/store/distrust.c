/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/distrust.h"

#include <errno.h>
#include <stddef.h>

#include "store/statement.h"

/*
 * Normal use needs far fewer steps. Reading a recording takes less than one step per byte of the
 * file. Finishing a killed recording takes a few steps per byte.
 */
#define STEPS_PER_BYTE 32
#define STEPS_MIN 4000000
#define STEPS_PER_CALL 1000

static int count_steps(void *context)
{
	int64_t *steps_left = context;

	*steps_left -= STEPS_PER_CALL;
	return *steps_left < 0;
}

void distrust_limit(sqlite3 *db, uint64_t size_bytes, int64_t *steps_left)
{
	uint64_t worth = size_bytes < INT64_MAX / (2 * STEPS_PER_BYTE) ? size_bytes * STEPS_PER_BYTE
								       : INT64_MAX / 2;

	*steps_left = STEPS_MIN + (int64_t)worth;
	sqlite3_progress_handler(db, STEPS_PER_CALL, count_steps, steps_left);
}

void distrust_lift(sqlite3 *db)
{
	sqlite3_progress_handler(db, 0, NULL, NULL);
}

/* Returns the first column of the first row of @query, or NULL if there is no row. */
static const char *first_text(sqlite3_stmt *query)
{
	return sqlite3_step(query) == SQLITE_ROW ? (const char *)sqlite3_column_text(query, 0)
						 : NULL;
}

/*
 * Checks all objects that the schema lists. Refuses triggers, virtual tables, and tables or views
 * that have the name of one of assay's own virtual tables (vtab.h).
 */
static int check_list(sqlite3 *db, const char *path, struct err *err)
{
	static const char sql[] =
		"SELECT type || ' ' || quote(name) FROM sqlite_schema"
		" WHERE type NOT IN ('table', 'index', 'view')"
		" OR (type <> 'index' AND lower(name) IN"
		"  ('sample', 'stack', 'location', 'function', 'stack_frame', 'line',"
		"  'location_line'))"
		" OR (type = 'table' AND (sql IS NULL OR sql NOT LIKE 'CREATE TABLE %')"
		"  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\')";
	_cleanup_statement_ sqlite3_stmt *query = NULL;
	const char *found;

	if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK)
		return statement_err(db, path, "check", err);
	found = first_text(query);
	if (found)
		return err_set(err, -EINVAL, "%s: assay did not write this file: it contains a %s",
			       path, found);
	return sqlite3_errcode(db) == SQLITE_DONE ? 0 : statement_err(db, path, "check", err);
}

/*
 * Asks SQLite itself, because the type of an object in the schema's list can be forged. The call
 * fails if @table is a view.
 */
bool distrust_has_table(sqlite3 *db, const char *table)
{
	return sqlite3_table_column_metadata(db, "main", table, NULL, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

int distrust_check_table(sqlite3 *db, const char *path, const char *table, struct err *err)
{
	_cleanup_statement_ sqlite3_stmt *query = NULL;
	const char *computed;

	if (!distrust_has_table(db, table))
		return err_set(err, -EINVAL,
			       "%s: damaged, or not written by assay: '%s' is missing or is not "
			       "a table",
			       path, table);
	if (sqlite3_prepare_v2(db,
			       "SELECT quote(name) FROM pragma_table_xinfo(?1) WHERE hidden <> 0",
			       -1, &query, NULL) != SQLITE_OK)
		return statement_err(db, path, "check", err);
	(void)sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC);
	computed = first_text(query);
	if (computed)
		return err_set(err, -EINVAL,
			       "%s: assay did not write this file: column %s of table "
			       "'%s' is a generated column",
			       path, computed, table);
	return sqlite3_errcode(db) == SQLITE_DONE ? 0 : statement_err(db, path, "check", err);
}

/* Returns true if an object of any type has this name. */
static bool is_there(sqlite3 *db, const char *name)
{
	_cleanup_statement_ sqlite3_stmt *query = NULL;

	if (sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_schema WHERE lower(name) = ?1", -1, &query,
			       NULL) != SQLITE_OK)
		return true;
	(void)sqlite3_bind_text(query, 1, name, -1, SQLITE_STATIC);
	return sqlite3_step(query) != SQLITE_DONE;
}

int distrust_check_schema(sqlite3 *db, const char *path, struct err *err)
{
	static const char *const tables[] = {
		"meta",	  "string", "context", "event", "image", "application",	 "process",
		"thread", "loss",   "ledger",  "block", "hit",	 "hot_function", "thread_time",
	};
	/* Recordings of earlier versions may lack these tables. Only they have `mapping`. */
	static const char *const later[] = {
		"command_line", "image_health", "interrupt_time", "interrupt_victim", "sealed",
		"tick",		"mapping",	"span_total",	  "span_bucket",      "span_amount",
	};
	int rc = check_list(db, path, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		rc = distrust_check_table(db, path, tables[i], err);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		if (!is_there(db, later[i]))
			continue;
		rc = distrust_check_table(db, path, later[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
