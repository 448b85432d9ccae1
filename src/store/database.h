/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * database.h - SQLite with our errors and our caution
 *
 * A recording may come from anybody.  Every connection is opened so that nothing stored in the
 * file can act: no trusted schema, no writable schema, limits on what one statement may take.
 */
#ifndef ASSAY_STORE_DATABASE_H
#define ASSAY_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"

enum database_mode {
	DATABASE_READ,		/* nothing in the file changes */
	DATABASE_WRITE,		/* the file exists */
	DATABASE_WRITE_NOFOLLOW,	/* likewise, and no link is on the way to it */
};

/* Is there more to come? Only database_open_sql() tells. */
enum database_progress {
	DATABASE_COMPLETE,
	DATABASE_CUT_SHORT,	/* nobody writes it, and it was never finished */
	DATABASE_GROWING,	/* its recorder still runs */
};

/* What belongs to a connection beside its handle, and must outlive it. */
struct database_state {
	bool stale;			/* read without the journal that lies beside it */
	enum database_progress progress;
	int64_t steps_left;		/* distrust.h */
};

/*
 * Opens @path and sees that it answers; waits up to two seconds for other users of the file.
 * DATABASE_READ on a file whose journal cannot be used (a read-only directory with a -wal
 * left by a killed recording) falls back to the file without it and sets state->stale.
 * Statements have a limit until a caller who knows the file lifts it (distrust.h).
 *
 * No other descriptor of the file may be closed while the connection is in use: the process
 * would lose the locks that SQLite holds on it (fcntl(2), "Record locking").
 */
int database_open(const char *path, enum database_mode mode, sqlite3 **ret_db,
		  struct database_state *ret_state, struct err *err);

/*
 * Is it a recording, of a version we know, with plain tables? -EINVAL with a message that says
 * which it is not.
 */
int database_check(sqlite3 *db, const char *path, struct err *err);

/*
 * As database_open() for reading, database_check() and the virtual tables, with the connection
 * bound to reading: for statements that a user typed. They may take as long as they like.
 */
int database_open_sql(const char *path, sqlite3 **ret_db, struct database_state *ret_state,
		      struct err *err);

/* Keys of meta that are ours; all others are facts of the model. */
#define META_COMPLETE "store.complete"
#define META_PREFIX "store."

/* The run ended and everything was written. */
bool database_is_complete(sqlite3 *db);

/* What the last call on @db failed with, as negative errno; the message names @path. */
int database_err(sqlite3 *db, const char *path, const char *doing, struct err *err);

/* Statements without results; 0 or the SQLite code. */
int database_exec(sqlite3 *db, const char *sql);

/* The single integer of a query, or @otherwise. */
int64_t database_integer(sqlite3 *db, const char *sql, int64_t otherwise);

static inline void statement_finalize(sqlite3_stmt **statement)
{
	(void)sqlite3_finalize(*statement);
}

#define _cleanup_statement_ _cleanup_(statement_finalize)

#endif
