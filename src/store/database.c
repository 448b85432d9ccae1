/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "store/companions.h"
#include "store/distrust.h"
#include "store/schema.h"
#include "store/seal.h"
#include "store/vtab.h"

#define BUSY_TIMEOUT_MS 2000

/*
 * Sets up the connection so that nothing stored in the file can be executed, and so that sizes are
 * limited.
 */
static void harden(sqlite3 *db)
{
	static const struct {
		int id, value;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, 64 << 20 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 10 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		(void)sqlite3_limit(db, limits[i].id, limits[i].value);
	(void)sqlite3_extended_result_codes(db, 1);
	(void)sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
	/* No mmap: a file that shrinks while it is mapped would kill this process. */
	(void)statement_exec(db, "PRAGMA mmap_size = 0; PRAGMA cell_size_check = 1");
}

/* Arguments for distrust_limit(). */
struct opening {
	uint64_t size_bytes;
	int64_t *steps_left;
};

/* Opens @name, and runs a first query to check that SQLite can read the file. */
static int open_answering(const char *name, int flags, const struct opening *opening,
			  sqlite3 **ret_db)
{
	int code = sqlite3_open_v2(name, ret_db, flags, NULL);

	if (code != SQLITE_OK)
		return code;
	distrust_limit(*ret_db, opening->size_bytes, opening->steps_left);
	harden(*ret_db);
	return statement_exec(*ret_db, "SELECT count(*) FROM sqlite_schema");
}

/* SQLite treats a name that starts with "file:" as a URI. Prefixing "./" makes it a path. */
static char *plain_name(const char *path)
{
	return sqlite3_mprintf("%s%s", path[0] == '/' ? "" : "./", path);
}

/*
 * Returns a URI that tells SQLite that the file @name never changes. Special characters are
 * escaped.
 */
static char *immutable_uri(const char *name)
{
	sqlite3_str *uri = sqlite3_str_new(NULL);

	sqlite3_str_appendall(uri, "file:");
	for (const char *c = name; *c; c++)
		if (strchr("%?#", *c))
			sqlite3_str_appendf(uri, "%%%02X", (unsigned char)*c);
		else
			sqlite3_str_appendchar(uri, 1, *c);
	sqlite3_str_appendall(uri, "?immutable=1");
	return sqlite3_str_finish(uri);
}

static uint64_t size_of(const char *name, const char *suffix)
{
	char *file = sqlite3_mprintf("%s%s", name, suffix);
	struct stat st;
	uint64_t size_bytes = file && stat(file, &st) == 0 ? (uint64_t)st.st_size : 0;

	sqlite3_free(file);
	return size_bytes;
}

/*
 * Opens the file without its journal. The journal cannot be read, because SQLite has no permission
 * to create the journal's index next to it.
 */
static int open_immutable(const char *name, const struct opening *opening, sqlite3 **ret_db)
{
	char *uri = immutable_uri(name);
	int code = uri ? open_answering(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, opening,
					ret_db)
		       : SQLITE_NOMEM;

	sqlite3_free(uri);
	return code;
}

/* Checks the file before SQLite opens it, because opening a FIFO would wait for a writer. */
static int check_file(const char *path, enum database_mode mode, struct err *err)
{
	struct stat st;

	if (access(path, mode == DATABASE_READ ? R_OK : R_OK | W_OK) < 0 || stat(path, &st) < 0)
		return err_sys(err, -errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: not a regular file", path);
	if (mode == DATABASE_WRITE && st.st_uid != geteuid())
		return err_set(err, -EPERM, "%s: not changed, because it belongs to another user",
			       path);
	return 0;
}

static int open_flags(enum database_mode mode)
{
	switch (mode) {
	case DATABASE_READ:
		return SQLITE_OPEN_READONLY;
	case DATABASE_WRITE_NOFOLLOW:
		return SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW;
	default:
		return SQLITE_OPEN_READWRITE;
	}
}

/*
 * If the first attempt fails, closes its connection before opening the file a second time, because
 * closing one of two connections would drop the locks of the other; see database_open().
 */
static int open_name(const char *name, enum database_mode mode, sqlite3 **ret_db,
		     struct database_state *state)
{
	const struct opening opening = {
		.size_bytes = size_of(name, "") + size_of(name, "-wal"),
		.steps_left = &state->steps_left,
	};
	int code;

	if (companions_are_of_owner(name)) {
		code = open_answering(name, open_flags(mode), &opening, ret_db);
		if (mode != DATABASE_READ ||
		    ((code & 0xff) != SQLITE_CANTOPEN && (code & 0xff) != SQLITE_READONLY))
			return code;
		(void)sqlite3_close(TAKE_PTR(*ret_db));
	} else if (mode != DATABASE_READ) {
		return SQLITE_PERM;
	}
	state->stale = size_of(name, "-wal") > 0;
	return open_immutable(name, &opening, ret_db);
}

/*
 * SQLite accepts a file whose last page is not whole, so this is tested first. A file with a
 * journal may be shorter than its header says, because its last pages can still be in the journal.
 */
static bool is_cut(const char *path, struct cut *ret_cut)
{
	return size_of(path, "-wal") == 0 && cut_read(path, ret_cut) && cut_is_short(ret_cut);
}

/*
 * Returns true if the pages that lead to the blocks are damaged. Visits all rows, but does not read
 * the blocks. Not count(*), which takes a single step, because a hostile tree can be without end.
 */
static bool has_lost_blocks(sqlite3 *db, const char *path, struct database_state *state)
{
	int64_t steps_left = state->steps_left;
	bool lost = size_of(path, "-wal") == 0 &&
		    distrust_check_table(db, path, "block", NULL) == 0 &&
		    (statement_exec(db, "SELECT sum(id > 0) FROM block NOT INDEXED") & 0xff) ==
			    SQLITE_CORRUPT;

	state->steps_left = steps_left;
	return lost;
}

static int open_cut(const char *path, enum database_mode mode, sqlite3 **ret_db,
		    struct database_state *state, struct err *err)
{
	if (mode != DATABASE_READ)
		return cut_err(path, &state->cut, "", err);
	state->is_cut = true;
	return cut_open(path, &state->cut, ret_db, err);
}

int database_open(const char *path, enum database_mode mode, sqlite3 **ret_db,
		  struct database_state *ret_state, struct err *err)
{
	int rc = check_file(path, mode, err);
	sqlite3 *db = NULL;
	char *name;
	int code;

	if (rc < 0)
		return rc;
	ret_state->stale = ret_state->is_cut = false;
	if (is_cut(path, &ret_state->cut))
		return open_cut(path, mode, ret_db, ret_state, err);
	name = plain_name(path);
	code = name ? open_name(name, mode, &db, ret_state) : SQLITE_NOMEM;
	sqlite3_free(name);
	if (code == SQLITE_OK &&
	    (mode == DATABASE_WRITE_NOFOLLOW || !has_lost_blocks(db, path, ret_state))) {
		*ret_db = db;
		return 0;
	}
	if (code == SQLITE_PERM)
		return err_set(err, -EPERM, "%s: the journal beside it is of another user", path);
	rc = db ? statement_err(db, path, "open", err) : err_sys(err, -ENOMEM, "%s", path);
	(void)sqlite3_close(db);
	if ((code == SQLITE_OK || (code & 0xff) == SQLITE_CORRUPT) &&
	    cut_read(path, &ret_state->cut) && (code == SQLITE_OK || cut_is_short(&ret_state->cut)))
		return open_cut(path, mode, ret_db, ret_state, err);
	return rc;
}

int database_open_copy(const char *path, sqlite3 **ret_db, int64_t *ret_steps_left)
{
	const struct opening opening = { .size_bytes = size_of(path, ""),
					 .steps_left = ret_steps_left };

	return open_immutable(path, &opening, ret_db);
}

int database_open_temporary(const char *name, sqlite3 **ret_db, struct err *err)
{
	sqlite3 *db = NULL;
	int rc;

	if (sqlite3_open_v2("", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) ==
	    SQLITE_OK) {
		*ret_db = db;
		return 0;
	}
	rc = db ? statement_err(db, name, "create", err) : err_sys(err, -ENOMEM, "%s", name);
	(void)sqlite3_close(db);
	return rc;
}

int database_check(sqlite3 *db, const char *path, struct err *err)
{
	int64_t version = statement_integer(db, "PRAGMA user_version", 0);

	if (statement_integer(db, "PRAGMA application_id", 0) != SCHEMA_APPLICATION_ID)
		return err_set(err, -EINVAL, "%s: not an assay recording", path);
	if (version > SCHEMA_VERSION)
		return err_set(err, -EINVAL,
			       "%s: recorded by a newer assay (schema %" PRId64 ", this version "
			       "supports up to %d)",
			       path, version, SCHEMA_VERSION);
	return distrust_check_schema(db, path, err);
}

bool database_is_complete(sqlite3 *db)
{
	return statement_integer(db, "SELECT value FROM meta WHERE key = '" META_COMPLETE "'", 0);
}

/*
 * Allows statements that only read, and a few harmless statements that change settings of the
 * connection.
 */
static int authorize(void *context, int action, const char *first, const char *second,
		     const char *database, const char *trigger)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_FUNCTION:
	case SQLITE_RECURSIVE:
	case SQLITE_TRANSACTION:
		return SQLITE_OK;
	case SQLITE_UPDATE:
		/*
		 * SQLite itself updates sqlite_master when it learns the columns of a virtual
		 * table.
		 */
		return strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_PRAGMA:
		/*
		 * A pragma without an argument only reads. table_info and similar pragmas only
		 * read, even with an argument.
		 */
		return !second || strstr(first, "_info") || strstr(first, "_list") ? SQLITE_OK
										   : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/*
 * Returns true if a recorder holds flock() on the file (create.c). Call this before SQLite opens
 * the file, because closing the descriptor used here would drop SQLite's locks. The test itself
 * locks the file for a moment. An empty file is not tested, because its recorder may be about to
 * take the lock, which would then fail.
 */
static bool is_being_written(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return false;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

DEFINE_CLEANUP(sqlite3, sqlite3_close);

/* Compares all tables with their checksums. */
static int find_altered(sqlite3 *db, const char *path, struct database_state *state,
			struct err *err)
{
	struct seals seals;
	size_t length = 0;

	state->altered[0] = '\0';
	seals_read(db, database_is_complete(db), &seals);
	for (int id = 0; seals.is_sealed && id < SEAL_COUNT; id++) {
		int rc = seals_verify(&seals, db, (enum seal_id)id);

		if (rc < 0)
			return err_sys(err, rc, "%s", path);
		if (rc == 0 || length >= sizeof(state->altered))
			continue;
		length += (size_t)snprintf(state->altered + length, sizeof(state->altered) - length,
					   "%s%s", length ? ", " : "", seal_name((enum seal_id)id));
	}
	return 0;
}

static int bind_to_reading(sqlite3 *db, const char *path, struct err *err)
{
	if (vtab_register(db) != SQLITE_OK ||
	    statement_exec(db, "PRAGMA query_only = 1") != SQLITE_OK ||
	    sqlite3_set_authorizer(db, authorize, NULL) != SQLITE_OK)
		return statement_err(db, path, "prepare for queries", err);
	return 0;
}

int database_open_sql(const char *path, sqlite3 **ret_db, struct database_state *ret_state,
		      struct err *err)
{
	bool growing = is_being_written(path);
	_cleanup_(sqlite3_closep) sqlite3 *db = NULL;
	int rc = database_open(path, DATABASE_READ, &db, ret_state, err);

	if (rc < 0)
		return rc;
	rc = database_check(db, path, err);
	if (rc < 0)
		return rc;
	ret_state->progress = database_is_complete(db) ? DATABASE_COMPLETE
			      : growing		       ? DATABASE_GROWING
						       : DATABASE_CUT_SHORT;
	rc = find_altered(db, path, ret_state, err);
	if (rc < 0)
		return rc;
	distrust_lift(db);
	rc = bind_to_reading(db, path, err);
	if (rc < 0)
		return rc;
	*ret_db = TAKE_PTR(db);
	return 0;
}
