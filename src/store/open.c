/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/file.h>
#include <fcntl.h>

#include "store/recording-private.h"

DEFINE_CLEANUP(struct recording, recording_close);

static bool is_marked_complete(sqlite3 *db)
{
	return database_integer(db, "SELECT value FROM meta WHERE key = '" META_COMPLETE "'", 0);
}

/* One view of the file for all reads, whatever a writer adds meanwhile. */
static int begin_reading(struct recording *recording, struct err *err)
{
	if (database_exec(recording->db, "BEGIN") != SQLITE_OK)
		return database_err(recording->db, recording->path, "read", err);
	return database_check(recording->db, recording->path, err);
}

int recording_open(const char *path, struct recording **ret_recording, struct err *err)
{
	_cleanup_(recording_closep) struct recording *recording = recording_new(path);
	int rc;

	if (!recording)
		return err_sys(err, -ENOMEM, "%s", path);
	rc = database_open(path, DATABASE_READ, &recording->db, &recording->stale, err);
	if (rc == 0)
		rc = begin_reading(recording, err);
	if (rc < 0)
		return rc;
	recording->complete = is_marked_complete(recording->db);
	*ret_recording = TAKE_PTR(recording);
	return 0;
}

static int lock(struct recording *recording, struct err *err)
{
	recording->lock_fd = open(recording->path, O_RDWR | O_CLOEXEC);
	if (recording->lock_fd < 0)
		return err_sys(err, -errno, "%s", recording->path);
	if (flock(recording->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, -EBUSY, "%s: an assay is still recording into it",
			       recording->path);
	return 0;
}

int recording_open_rw(const char *path, struct recording **ret_recording, struct err *err)
{
	_cleanup_(recording_closep) struct recording *recording = recording_new(path);
	int rc;

	if (!recording)
		return err_sys(err, -ENOMEM, "%s", path);
	rc = lock(recording, err);
	if (rc == 0)
		rc = database_open(path, DATABASE_WRITE, &recording->db, &recording->stale, err);
	if (rc == 0)
		rc = database_check(recording->db, path, err);
	if (rc < 0)
		return rc;
	recording->complete = is_marked_complete(recording->db);
	*ret_recording = TAKE_PTR(recording);
	return 0;
}
