/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/nameless_file.h"
#include "base/write_all.h"
#include "import/byte_source.h"
#include "import/gunzip.h"

static bool is_bomb(const struct byte_source *source)
{
	return source->gunzip && source->offset / BYTE_SPOOL_RATIO > gunzip_taken(source->gunzip) &&
	       source->offset > BYTE_SPOOL_FREE_BYTES;
}

static int copy(struct byte_source *source, int fd, const char *path, struct err *err)
{
	const uint8_t *bytes;
	size_t size;
	int rc;

	for (;;) {
		rc = byte_source_peek(source, source->room_bytes, &bytes, &size);
		if (rc < 0)
			return err_sys(err, rc, "%s", path);
		if (size == 0)
			return 0;
		rc = write_all(fd, bytes, size);
		if (rc < 0)
			return err_sys(err, rc, "%s: cannot write a temporary copy of the data",
				       path);
		byte_source_take(source, size);
		if (is_bomb(source))
			return err_set(err, -E2BIG,
				       "%s: the data expands to more than %u times its compressed "
				       "size, which the data of a profiler never does",
				       path, BYTE_SPOOL_RATIO);
	}
}

int byte_source_spool(struct byte_source *source, const char *path, const char *directory,
		      struct err *err)
{
	_cleanup_close_ int fd = nameless_file_open(directory);
	int rc;

	if (fd < 0)
		return err_sys(err, fd, "%s: cannot create a temporary file in %s", path,
			       directory);
	rc = copy(source, fd, path, err);
	if (rc < 0)
		return rc;
	source->was_damaged = byte_source_is_damaged(source);
	if (!source->is_stdin)
		(void)close(source->fd);
	source->fd = TAKE_FD(fd);
	source->is_stdin = false;
	gunzip_free(source->gunzip);
	source->gunzip = NULL;
	rc = byte_source_seek(source, 0);
	return rc < 0 ? err_sys(err, rc, "%s", path) : 0;
}
