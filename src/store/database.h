/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * database.h - SQLite with assay's error messages and safety limits
 *
 * A recording may come from an untrusted source. Every connection is therefore opened so that
 * nothing stored in the file can be executed: the schema is neither trusted nor writable, and the
 * resources of a single statement are limited.
 */
#ifndef ASSAY_STORE_DATABASE_H
#define ASSAY_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/err.h"
#include "store/cut.h"
#include "store/statement.h"

enum database_mode {
	DATABASE_READ,		/* read only; the file is never changed */
	DATABASE_WRITE,		/* read and write; the file must exist */
	/* like DATABASE_WRITE, but fails if the path contains a symbolic link */
	DATABASE_WRITE_NOFOLLOW,
};

/*
 * Whether the recording in the file is complete or still growing. Only database_open_sql() sets
 * this.
 */
enum database_progress {
	DATABASE_COMPLETE,
	DATABASE_CUT_SHORT,	/* the recorder never finished the file, and is not running now */
	DATABASE_GROWING,	/* its recorder is still running */
};

#define DATABASE_ALTERED_MAX 256

/* State of a connection. This struct must exist until the connection is closed. */
struct database_state {
	/* the file has a journal that could not be used, so the file was read without it */
	bool stale;
	/* the end of the file is missing, so the connection is to a temporary copy, see cut.h */
	bool is_cut;
	struct cut cut;
	enum database_progress progress;
	int64_t steps_left;		/* steps that statements may still take, see distrust.h */
	/*
	 * Names of the tables that fail their checksums (seal.h), or "". Only database_open_sql()
	 * sets this.
	 */
	char altered[DATABASE_ALTERED_MAX];
};

/*
 * Opens @path and checks that SQLite can read it. If another process has locked the file, waits up
 * to two seconds. All statements together may take only a limited number of steps until the caller
 * lifts the limit (distrust.h).
 *
 * With DATABASE_READ the journal may be unusable, for example if a killed recording left a -wal
 * file in a read-only directory. The file is then read without its journal, and state->stale is
 * set. If the end of the file is missing, what is there is read (cut.h), and state->is_cut is set.
 *
 * While the connection is in use, the process must not open and close the file in another way.
 * Closing any descriptor of the file would drop the locks that SQLite holds on it (fcntl(2),
 * "Record locking").
 */
int database_open(const char *path, enum database_mode mode, sqlite3 **ret_db,
		  struct database_state *ret_state, struct err *err);

/*
 * Opens a file that nobody changes for reading. Its size limits the number of steps, as for
 * database_open(). Returns 0 or an SQLite error code.
 */
int database_open_copy(const char *path, sqlite3 **ret_db, int64_t *ret_steps_left);

/*
 * Creates a database that only this connection sees. SQLite keeps it in memory, and moves it to an
 * unnamed file if it gets large. @name is used in error messages.
 */
int database_open_temporary(const char *name, sqlite3 **ret_db, struct err *err);

/*
 * Checks that the database is a recording of a known version, and that its tables are ordinary
 * tables (no views or virtual tables). Returns -EINVAL with a message that names the failed check.
 */
int database_check(sqlite3 *db, const char *path, struct err *err);

/*
 * Opens @path for statements that a user typed. Does the same as database_open() with DATABASE_READ
 * and database_check(), then registers the virtual tables and restricts the connection to reading.
 * The user's statements may take any number of steps.
 */
int database_open_sql(const char *path, sqlite3 **ret_db, struct database_state *ret_state,
		      struct err *err);

/* Keys of the table meta that the store itself uses. All other keys are facts of the model. */
#define META_COMPLETE "store.complete"
#define META_PREFIX "store."

/* Returns true if the run ended and everything was written. */
bool database_is_complete(sqlite3 *db);

#endif
