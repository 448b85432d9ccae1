/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A new recording and what becomes of the one before.
 *
 * The writer holds flock() on the file for as long as it lives: SQLite's locks are held only
 * while it writes, and a second recording must not take the path, and with it the journal's
 * name, from a first one that still runs.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "store/recording-private.h"
#include "store/schema.h"

#define JOURNAL_PAGES "1000"

/* Where SQLite keeps these two big-endian words: https://www.sqlite.org/fileformat.html, 1.3 */
static bool is_recording(int fd)
{
	uint8_t header[72];

	if (pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return false;
	return memcmp(header, "SQLite format 3", 16) == 0 &&
	       (uint32_t)(header[68] << 24 | header[69] << 16 | header[70] << 8 | header[71]) ==
		       SCHEMA_APPLICATION_ID;
}

static char *with_suffix(const char *path, const char *suffix)
{
	char *name = NULL;

	return asprintf(&name, "%s%s", path, suffix) < 0 ? NULL : name;
}

static void remove_beside(const char *path, const char *suffix)
{
	_cleanup_free_ char *name = with_suffix(path, suffix);

	if (name)
		(void)unlink(name);
}

/* Moves <path><suffix> to <path>.old<suffix>. 0 also when it is not there. */
static int move_to_old(const char *path, const char *suffix)
{
	_cleanup_free_ char *from = with_suffix(path, suffix);
	_cleanup_free_ char *old = with_suffix(path, ".old");
	_cleanup_free_ char *to = old ? with_suffix(old, suffix) : NULL;

	if (!from || !to)
		return -ENOMEM;
	if (rename(from, to) < 0)
		return errno == ENOENT ? 0 : -errno;
	return 0;
}

/*
 * Is the file at @path ours to move away, and at rest? -ENOENT when there is none; an empty
 * one (of mktemp, or of a recording that ended at once) is removed.
 */
static int check_previous(const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 && errno == ELOOP)
		return err_set(err, -EEXIST, "%s: a symbolic link, not replaced", path);
	if (fd < 0)
		return err_sys(err, -errno, "%s", path);
	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "%s", path);
	if (S_ISREG(st.st_mode) && st.st_size == 0)
		return unlink(path) < 0 ? err_sys(err, -errno, "%s", path) : -ENOENT;
	if (!S_ISREG(st.st_mode) || !is_recording(fd))
		return err_set(err, -EEXIST, "%s: exists and is no recording, not replaced", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, -EBUSY, "%s: another assay is recording into it", path);
	return 0;
}

static int set_previous_aside(const char *path, struct err *err)
{
	_cleanup_free_ char *old = with_suffix(path, ".old");
	int rc = check_previous(path, err);

	if (rc == 0) {
		if (!old)
			return err_sys(err, -ENOMEM, "%s", path);
		remove_beside(old, "-wal");
		remove_beside(old, "-shm");
		rc = move_to_old(path, "");
		if (rc == 0)
			rc = move_to_old(path, "-wal");
		if (rc < 0)
			return err_sys(err, rc, "%s: cannot keep it as .old", path);
	}
	if (rc < 0 && rc != -ENOENT)
		return rc;
	return 0;
}

static int create_file(struct recording *recording, struct err *err)
{
	int fd = open(recording->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(err, -errno, "%s", recording->path);
	recording->lock_fd = fd;
	if (fchmod(fd, 0600) < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return err_sys(err, -errno, "%s", recording->path);
	return 0;
}

/* The journal comes last: what the file is must stand in the file itself (is_recording()). */
static int create_schema(struct recording *recording, struct err *err)
{
	char *setup = sqlite3_mprintf("PRAGMA page_size = 4096; PRAGMA synchronous = NORMAL;"
				      "BEGIN; PRAGMA application_id = %d;"
				      "PRAGMA user_version = %d;",
				      SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	int code = setup ? database_exec(recording->db, setup) : SQLITE_NOMEM;

	sqlite3_free(setup);
	if (code == SQLITE_OK)
		code = database_exec(recording->db, schema_sql);
	for (int context = 0; code == SQLITE_OK && context < CONTEXT_COUNT; context++) {
		char *row = sqlite3_mprintf("INSERT INTO context VALUES(%d, %Q)", context,
					    context_name((enum context)context));

		code = row ? database_exec(recording->db, row) : SQLITE_NOMEM;
		sqlite3_free(row);
	}
	if (code == SQLITE_OK)
		code = database_exec(recording->db, "COMMIT; PRAGMA journal_mode = WAL;"
						    "PRAGMA wal_autocheckpoint = " JOURNAL_PAGES);
	return code == SQLITE_OK ? 0 : database_err(recording->db, recording->path, "create", err);
}

/* The directory with its links followed, so that SQLite can be told to follow none. */
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

DEFINE_CLEANUP(struct recording, recording_close);

int recording_create(const char *path, struct recording **ret_recording, struct err *err)
{
	_cleanup_free_ char *resolved = resolve_directory(path);
	_cleanup_(recording_closep) struct recording *recording = NULL;
	int rc;

	if (!resolved)
		return err_sys(err, -errno, "%s", path);
	rc = set_previous_aside(resolved, err);
	if (rc < 0)
		return rc;
	recording = recording_new(resolved);
	if (!recording)
		return err_sys(err, -ENOMEM, "%s", path);
	rc = create_file(recording, err);
	if (rc == 0)
		rc = database_open(resolved, DATABASE_WRITE, &recording->db, &recording->stale,
				   err);
	if (rc == 0)
		rc = create_schema(recording, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < TABLE_COUNT; i++)
		recording->written.rows[i] = table_of((enum table_id)i)->first_id;
	recording->written.stacks = STACK_ROOT_COUNT;
	recording->written.locations = recording->written.functions = 1;
	*ret_recording = TAKE_PTR(recording);
	return 0;
}
