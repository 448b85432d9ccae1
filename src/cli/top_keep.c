/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/top_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/command.h"

#define COPY_BYTES (1u << 20)

void top_keep_begin(struct top_keep *keep, struct record_options *record, bool is_stream)
{
	const char *parent = getenv("TMPDIR");
	int length;

	keep->is_users = !record->no_recording;
	if (keep->is_users || is_stream)
		return;
	if (!parent || parent[0] != '/')
		parent = "/tmp";
	length = snprintf(keep->folder, sizeof(keep->folder), "%s/assay-top-XXXXXX", parent);
	if ((size_t)length >= sizeof(keep->folder) || !mkdtemp(keep->folder)) {
		keep->folder[0] = '\0';
		return;
	}
	(void)snprintf(keep->path, sizeof(keep->path), "%s/" DEFAULT_RECORDING, keep->folder);
	record->no_recording = false;
	record->output = keep->path;
	record->output_bytes_max = TOP_KEEP_BYTES_MAX;
}

bool top_keep_look(struct top_keep *keep, bool is_recorded)
{
	if (!is_recorded && keep->folder[0])
		top_keep_end(keep);
	return is_recorded;
}

static int copy(int from, int to)
{
	for (;;) {
		ssize_t moved = sendfile(to, from, NULL, COPY_BYTES);

		if (moved < 0 && errno != EINTR)
			return -errno;
		if (moved == 0)
			return fsync(to) < 0 ? -errno : 0;
	}
}

int top_keep_take(const struct top_keep *keep, const char *file, struct err *err)
{
	_cleanup_close_ int from = -1, to = -1;
	int rc;

	if (keep->is_users || !file[0])
		return 0;
	from = open(keep->path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return err_sys(err, -errno, "%s", keep->path);
	to = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return err_sys(err, -errno, "%s", file);
	rc = copy(from, to);
	if (rc < 0) {
		(void)unlink(file);
		return err_sys(err, rc, "%s", file);
	}
	return 0;
}

/*
 * Removes the temporary recording, the files that SQLite creates next to it, and the temporary
 * directory.
 */
void top_keep_end(struct top_keep *keep)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	char path[PATH_MAX + 16];

	if (!keep->folder[0])
		return;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", keep->path, suffixes[i]);
		(void)unlink(path);
	}
	(void)rmdir(keep->folder);
	keep->folder[0] = '\0';
}
