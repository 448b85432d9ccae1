/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates a recording and renames the previous one.
 *
 * The writer holds flock() on the file until it closes the recording. SQLite's own locks are not
 * enough, because SQLite holds them only during a write. Between two writes of the first recording,
 * a second recording could take over the path, and with it the journal's name.
 *
 * Until a new file is locked, another process can take it for one that a recorder left behind. So
 * processes create recordings in a directory one after the other (take_turn()).
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/write_all.h"
#include "store/companions.h"
#include "store/distrust.h"
#include "store/recording-private.h"
#include "store/schema.h"

#define JOURNAL_PAGES "4000"

/* Bytes of the header that say whether the journal is a write-ahead log: section 1.3, see below. */
#define WRITE_VERSION_AT 18
#define READ_VERSION_AT 19
#define VERSION_WAL 2

/*
 * Suffixes of the previous recording, and of its predecessor, which is kept until the new recording
 * has content.
 */
#define OLD ".old"
#define OLDER ".old~"
#define SUFFIX_BYTES 16		/* for one of these and the suffix of a journal */

/*
 * In a directory that others may read, somebody can take all turns. Then this process does not
 * wait for ever; what is not locked is found with recording_file_is_at().
 */
#define TURN_WAIT_MS 2000
#define TURN_STEP_MS 5

/* Waits until no other process creates a recording beside @path. The turn ends with close(). */
static int take_turn(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	for (int ms = 0; fd >= 0 && ms < TURN_WAIT_MS; ms += TURN_STEP_MS) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			break;
		(void)usleep(TURN_STEP_MS * 1000);
	}
	return fd;
}

/*
 * Returns true if the file is an SQLite file with the application id of a recording. Numbers in the
 * file's header are big-endian: https://www.sqlite.org/fileformat.html, section 1.3.
 */
static bool is_recording(int fd)
{
	uint8_t header[72];

	if (pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return false;
	return memcmp(header, "SQLite format 3", 16) == 0 &&
	       (uint32_t)(header[68] << 24 | header[69] << 16 | header[70] << 8 | header[71]) ==
		       SCHEMA_APPLICATION_ID;
}

/* Needs no memory, because files must be put back when there is none. */
static int with_suffix(const char *path, const char *suffix, char ret_name[static PATH_MAX])
{
	return snprintf(ret_name, PATH_MAX, "%s%s", path, suffix) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static void remove_beside(const char *path, const char *suffix)
{
	char name[PATH_MAX];

	if (with_suffix(path, suffix, name) == 0)
		(void)unlink(name);
}

/* Renames <path><from> to <path><to>. Also returns 0 if the file does not exist. */
static int move_file(const char *path, const char *from, const char *to)
{
	char old[PATH_MAX], new[PATH_MAX];

	if (with_suffix(path, from, old) < 0 || with_suffix(path, to, new) < 0)
		return -ENAMETOOLONG;
	if (rename(old, new) < 0)
		return errno == ENOENT ? 0 : -errno;
	return 0;
}

/*
 * Moves a recording and its journal. Removes the journal's index, which the next process to open
 * the recording creates again, and the empty rollback journal (companions.h). The recording comes
 * last: once its name is free, files with the other names may belong to a new one.
 */
static int move_recording(const char *path, const char *from, const char *to)
{
	char journal_from[SUFFIX_BYTES], journal_to[SUFFIX_BYTES];
	char index_from[SUFFIX_BYTES], rollback_from[SUFFIX_BYTES];
	int rc;

	(void)snprintf(journal_from, SUFFIX_BYTES, "%s-wal", from);
	(void)snprintf(journal_to, SUFFIX_BYTES, "%s-wal", to);
	(void)snprintf(index_from, SUFFIX_BYTES, "%s-shm", from);
	(void)snprintf(rollback_from, SUFFIX_BYTES, "%s-journal", from);
	remove_beside(path, journal_to);
	remove_beside(path, index_from);
	remove_beside(path, rollback_from);
	rc = move_file(path, journal_from, journal_to);
	if (rc == 0)
		rc = move_file(path, from, to);
	if (rc < 0)
		(void)move_file(path, journal_to, journal_from);
	return rc;
}

/*
 * Copies the journal of a killed recorder into the file, so that a single rename moves everything.
 * With two files, a crash between two renames would separate file and journal. If the copy fails
 * (disk full, damage, another process that keeps reading), the journal remains and is renamed
 * before the file. The recording of another user is only renamed.
 */
static void fold_journal(const char *path, uid_t owner)
{
	struct database_state state;
	char journal[PATH_MAX];
	sqlite3 *db = NULL;

	if (with_suffix(path, "-wal", journal) < 0 || access(journal, F_OK) < 0 ||
	    owner != geteuid() ||
	    database_open(path, DATABASE_WRITE_NOFOLLOW, &db, &state, NULL) < 0)
		return;
	if (sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) ==
	    SQLITE_OK)
		(void)statement_exec(db, "PRAGMA journal_mode = PERSIST");
	(void)sqlite3_close(db);
}

/*
 * Checks that the file at @path is a recording to which no recorder is writing. Then locks the file
 * and sets *@ret_fd to the descriptor that holds the lock. Returns -ENOENT if there is no file, or
 * if the file is empty (from mktemp, or from a recording that ended at once). An empty file is
 * removed.
 */
static int check_previous(const char *path, int *ret_fd, uid_t *ret_owner, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 && errno == ELOOP)
		return err_set(err, -EEXIST, "%s: not replaced, because it is a symbolic link",
			       path);
	if (fd < 0)
		return err_sys(err, -errno, "%s", path);
	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "%s", path);
	if (!S_ISREG(st.st_mode) || (st.st_size && !is_recording(fd)))
		return err_set(err, -EEXIST,
			       "%s: not replaced, because it exists and is not a recording", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || !recording_file_is_at(fd, path))
		return err_set(err, -EBUSY, "%s: another assay process is writing to this file",
			       path);
	if (st.st_size == 0)
		return unlink(path) < 0 ? err_sys(err, -errno, "%s", path) : -ENOENT;
	*ret_owner = st.st_uid;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/*
 * Renames an existing recording to .old. Holds the lock of that recording until the rename is done.
 * The descriptor of the lock is closed last, after SQLite has closed the file.
 */
static int set_previous_aside(const char *path, bool *ret_set_aside, struct err *err)
{
	_cleanup_close_ int fd = -1;
	uid_t owner = 0;
	int rc = check_previous(path, &fd, &owner, err);

	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	fold_journal(path, owner);
	rc = move_recording(path, OLD, OLDER);
	if (rc == 0)
		rc = move_recording(path, "", OLD);
	if (rc < 0) {
		(void)move_recording(path, OLDER, OLD);
		return err_sys(err, rc, "%s: cannot rename the previous recording to .old", path);
	}
	*ret_set_aside = true;
	return 0;
}

void recording_forget_older(struct recording *recording)
{
	if (!recording->set_aside)
		return;
	recording->set_aside = false;
	remove_beside(recording->path, OLDER);
	remove_beside(recording->path, OLDER "-wal");
}

/*
 * Renames the .old recording back to its former name. If a file with this name exists now, it is
 * replaced only if @recording created it.
 */
static int bring_back(const struct recording *recording)
{
	bool is_ours = recording->lock_fd >= 0;
	char old[PATH_MAX];

	if (with_suffix(recording->path, OLD, old) < 0)
		return -ENAMETOOLONG;
	return renameat2(AT_FDCWD, old, AT_FDCWD, recording->path, is_ours ? 0 : RENAME_NOREPLACE) <
			       0
		       ? -errno
		       : 0;
}

/*
 * The old names are restored while the lock is still held. rename() replaces the new file in one
 * step, so no other process can take the new file's name in between.
 */
void recording_discard(struct recording *recording)
{
	_cleanup_close_ int turn = -1;
	bool is_back = false;

	if (!recording)
		return;
	if (recording->lock_fd >= 0 || recording->set_aside)
		turn = take_turn(recording->path);
	recording_close_database(recording);
	if (recording->lock_fd >= 0)
		companions_remove(recording->path);
	if (recording->set_aside)
		is_back = bring_back(recording) == 0;
	if (is_back) {
		(void)move_file(recording->path, OLD "-wal", "-wal");
		(void)move_recording(recording->path, OLDER, OLD);
	} else if (recording->lock_fd >= 0) {
		remove_beside(recording->path, "");
	}
	recording->set_aside = recording->set_aside && !is_back;
	recording_close(recording);
}

static int create_file(struct recording *recording, struct err *err)
{
	_cleanup_close_ int fd = open(recording->path,
				      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(err, -errno, "%s", recording->path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || !recording_file_is_at(fd, recording->path))
		return err_set(err, -EBUSY, "%s: another assay process is writing to this file",
			       recording->path);
	recording->lock_fd = TAKE_FD(fd);
	if (fchmod(recording->lock_fd, 0600) < 0)
		return err_sys(err, -errno, "%s", recording->path);
	return 0;
}

DEFINE_CLEANUP(sqlite3, sqlite3_close);

/* Executes @sql, which sqlite3_mprintf() returned, and frees it. */
static int exec_printed(sqlite3 *db, char *sql)
{
	int code = sql ? statement_exec(db, sql) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return code;
}

int create_tables(sqlite3 *db)
{
	int code = exec_printed(db, sqlite3_mprintf("PRAGMA page_size = 1024;"
						    "PRAGMA synchronous = NORMAL;"
						    "BEGIN; PRAGMA application_id = %d;"
						    "PRAGMA user_version = %d;",
						    SCHEMA_APPLICATION_ID, SCHEMA_VERSION));

	if (code != SQLITE_OK)
		return code;
	code = statement_exec(db, schema_sql);
	if (code != SQLITE_OK)
		return code;
	for (int context = 0; context < CONTEXT_COUNT; context++) {
		code = exec_printed(db,
				    sqlite3_mprintf("INSERT INTO context VALUES(%d, %Q)", context,
						    context_name((enum context)context)));
		if (code != SQLITE_OK)
			return code;
	}
	return statement_exec(db, "COMMIT");
}

/*
 * Writes a recording with empty tables. They are made in memory, so that SQLite needs no journal on
 * disk for them, and so that the application id is in the file itself, where is_recording() looks.
 */
static int write_tables(const struct recording *recording, struct err *err)
{
	_cleanup_(sqlite3_closep) sqlite3 *db = NULL;
	sqlite3_int64 size_bytes = 0;
	unsigned char *bytes;
	int rc = database_open_temporary(recording->path, &db, err);

	if (rc < 0)
		return rc;
	if (create_tables(db) != SQLITE_OK)
		return statement_err(db, recording->path, "create", err);
	bytes = sqlite3_serialize(db, "main", &size_bytes, 0);
	if (!bytes)
		return err_sys(err, -ENOMEM, "%s", recording->path);
	bytes[WRITE_VERSION_AT] = bytes[READ_VERSION_AT] = VERSION_WAL;
	rc = write_all(recording->lock_fd, bytes, (size_t)size_bytes);
	sqlite3_free(bytes);
	return rc < 0 ? err_sys(err, rc, "%s: cannot create", recording->path) : 0;
}

static int create_schema(struct recording *recording, struct err *err)
{
	if (create_tables(recording->db) != SQLITE_OK)
		return statement_err(recording->db, recording->path, "create", err);
	return 0;
}

/* Resolves symbolic links in the directory of @path, so that SQLite can be told to follow none. */
static char *resolve_directory(const char *path)
{
	_cleanup_free_ char *for_directory = strdup(path), *for_name = strdup(path);
	_cleanup_free_ char *directory = NULL;
	char *resolved = NULL;

	if (!for_directory || !for_name)
		return NULL;
	directory = realpath(dirname(for_directory), NULL);
	if (!directory || asprintf(&resolved, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory,
				   basename(for_name)) < 0)
		return NULL;
	return resolved;
}

DEFINE_CLEANUP(struct recording, recording_discard);

/* Opens the file that create_file() created, and its journal. */
static int open_created(struct recording *recording, struct err *err)
{
	int rc = database_open(recording->path, DATABASE_WRITE_NOFOLLOW, &recording->db,
			       &recording->state, err);

	if (rc < 0)
		return rc;
	distrust_lift(recording->db);
	if (statement_exec(recording->db,
			   "PRAGMA synchronous = NORMAL;"
			   "PRAGMA wal_autocheckpoint = " JOURNAL_PAGES) != SQLITE_OK)
		return statement_err(recording->db, recording->path, "create", err);
	if (!companions_are_of_owner(recording->path))
		return err_set(err, -EPERM, "%s: another user has replaced its journal",
			       recording->path);
	return 0;
}

static void mark_written(struct recording *recording)
{
	for (size_t i = 0; i < TABLE_COUNT; i++)
		recording->written.rows[i] = table_of((enum table_id)i)->first_id;
	recording->written.stacks = STACK_ROOT_COUNT;
	recording->written.locations = recording->written.functions = recording->written.lines = 1;
	recording->written.mappings = 1;
	recording->census.is_whole = true;
}

int recording_create(const char *path, struct recording **ret_recording, struct err *err)
{
	_cleanup_free_ char *resolved = resolve_directory(path);
	_cleanup_(recording_discardp) struct recording *recording = NULL;
	_cleanup_close_ int turn = -1;		/* ends before a failed recording is discarded */
	int rc;

	if (!resolved)
		return err_sys(err, -errno, "%s", path);
	turn = take_turn(resolved);
	recording = recording_new(resolved);
	if (!recording)
		return err_sys(err, -ENOMEM, "%s", path);
	rc = set_previous_aside(resolved, &recording->set_aside, err);
	if (rc < 0)
		return rc;
	rc = create_file(recording, err);
	if (rc < 0)
		return rc;
	rc = companions_create(resolved, err);
	if (rc < 0)
		return rc;
	rc = write_tables(recording, err);
	if (rc < 0)
		return rc;
	rc = open_created(recording, err);
	if (rc < 0)
		return rc;
	mark_written(recording);
	recording->seals.trusted = SEALS_ALL;
	*ret_recording = TAKE_PTR(recording);
	return 0;
}

int recording_create_temporary(const char *name, struct recording **ret_recording, struct err *err)
{
	_cleanup_(recording_discardp) struct recording *recording = recording_new(name);
	int rc;

	if (!recording)
		return err_sys(err, -ENOMEM, "%s", name);
	rc = database_open_temporary(name, &recording->db, err);
	if (rc < 0)
		return rc;
	rc = create_schema(recording, err);
	if (rc < 0)
		return rc;
	mark_written(recording);
	*ret_recording = TAKE_PTR(recording);
	return 0;
}
