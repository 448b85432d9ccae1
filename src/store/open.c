/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/file.h>
#include <fcntl.h>

#include "store/companions.h"
#include "store/recording-private.h"

DEFINE_CLEANUP(struct recording, recording_close);

static int open_view(struct recording *recording, struct err *err)
{
	int rc = database_open(recording->path, DATABASE_READ, &recording->db, &recording->state,
			       err);

	if (rc < 0)
		return rc;
	if (!recording->state.is_cut && statement_exec(recording->db, "BEGIN") != SQLITE_OK)
		return statement_err(recording->db, recording->path, "read", err);
	rc = database_check(recording->db, recording->path, err);
	if (rc < 0)
		return rc;
	recording->complete = database_is_complete(recording->db);
	return 0;
}

static void close_view(struct recording *recording)
{
	(void)sqlite3_close(TAKE_PTR(recording->db));
}

/*
 * All reads use one transaction, so they see one state of the file even while a writer adds to it.
 */
int recording_begin_reading(struct recording *recording, struct err *err)
{
	int rc;

	if (recording->db)
		return 0;
	rc = open_view(recording, err);
	if (rc < 0)
		close_view(recording);
	return rc;
}

int recording_open(const char *path, struct recording **ret_recording, struct err *err)
{
	_cleanup_(recording_closep) struct recording *recording = recording_new(path);
	int rc;

	if (!recording)
		return err_sys(err, -ENOMEM, "%s", path);
	rc = recording_begin_reading(recording, err);
	if (rc < 0)
		return rc;
	/*
	 * A caller that finds the recording unfinished calls recording_open_rw() next, which opens
	 * the file a second time to test the recorder's lock. Closing that second descriptor drops
	 * all locks of this process on the file, including SQLite's. If the recorder ended just
	 * then, the recorder would see no reader, and would remove the journal while this process
	 * still reads the journal. Therefore the connection is closed here. The connection to a
	 * copy of a cut file stays open.
	 */
	if (!recording->complete && !recording->state.is_cut)
		close_view(recording);
	*ret_recording = TAKE_PTR(recording);
	return 0;
}

static int lock(struct recording *recording, struct err *err)
{
	recording->lock_fd = open(recording->path, O_RDWR | O_CLOEXEC);
	if (recording->lock_fd < 0)
		return err_sys(err, -errno, "%s", recording->path);
	if (flock(recording->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, -EBUSY, "%s: another assay process is writing to this file",
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
	if (rc < 0)
		return rc;
	rc = companions_create_journal(path, err);
	if (rc < 0)
		return rc;
	rc = database_open(path, DATABASE_WRITE, &recording->db, &recording->state, err);
	if (rc < 0)
		return rc;
	rc = database_check(recording->db, path, err);
	if (rc < 0)
		return rc;
	if (!companions_are_of_owner(path))
		return err_set(err, -EPERM, "%s: another user has replaced its journal", path);
	recording->complete = database_is_complete(recording->db);
	if (recording->complete)
		(void)statement_exec(recording->db, "PRAGMA journal_mode = PERSIST");
	*ret_recording = TAKE_PTR(recording);
	return 0;
}
