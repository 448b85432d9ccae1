/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import/gunzip.h"

/*
 * Reads once and appends the data to the buffer. The buffer must not contain more than @most bytes
 * afterwards.
 */
static int fill(struct byte_source *source, size_t most)
{
	uint8_t *bytes = source->buffer + source->end;
	size_t room = most - source->end;
	ssize_t size;

	do
		size = source->gunzip ? gunzip_read(source->gunzip, source->fd, bytes, room)
				      : read(source->fd, bytes, room);
	while (!source->gunzip && size < 0 && errno == EINTR);
	if (size < 0)
		return source->gunzip ? (int)size : -errno;
	source->at_end = size == 0;
	source->end += (size_t)size;
	return 0;
}

/*
 * Finds out whether the data is compressed with gzip. If so, creates the decompressor and gives it
 * the bytes that were already read.
 */
static int look_for_gzip(struct byte_source *source)
{
	int rc;

	while (!source->at_end && source->end < GUNZIP_HEAD_BYTES) {
		rc = fill(source, GUNZIP_HEAD_BYTES);
		if (rc < 0)
			return rc;
	}
	if (!gunzip_begins(source->buffer, source->end))
		return 0;
	rc = gunzip_new(source->buffer, source->end, &source->gunzip);
	source->end = 0;
	return rc;
}

int byte_source_open(struct byte_source *source, const char *path, size_t room_bytes,
		     struct err *err)
{
	int rc;

	*source = (struct byte_source){
		.fd = STDIN_FILENO,
		.is_stdin = strcmp(path, "-") == 0,
		.room_bytes = room_bytes,
	};
	if (!source->is_stdin)
		source->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (source->fd < 0)
		return err_sys(err, -errno, "%s", path);
	source->buffer = malloc(room_bytes);
	if (!source->buffer)
		return err_set(err, -ENOMEM, "%s: no memory to read it", path);
	rc = look_for_gzip(source);
	return rc < 0 ? err_sys(err, rc, "%s", path) : 0;
}

void byte_source_fini(struct byte_source *source)
{
	if (source->fd >= 0 && !source->is_stdin)
		(void)close(source->fd);
	source->fd = -1;
	free(source->buffer);
	source->buffer = NULL;
	gunzip_free(source->gunzip);
	source->gunzip = NULL;
}

bool byte_source_is_damaged(const struct byte_source *source)
{
	return source->was_damaged || (source->gunzip && gunzip_is_damaged(source->gunzip));
}

int byte_source_peek(struct byte_source *source, size_t wanted, const uint8_t **ret_bytes,
		     size_t *ret_size)
{
	if (source->end - source->begin < wanted && source->begin) {
		memmove(source->buffer, source->buffer + source->begin,
			source->end - source->begin);
		source->end -= source->begin;
		source->begin = 0;
	}
	while (!source->at_end && source->end - source->begin < wanted) {
		int rc = fill(source, source->room_bytes);

		if (rc < 0)
			return rc;
	}
	*ret_bytes = source->buffer + source->begin;
	*ret_size = source->end - source->begin < wanted ? source->end - source->begin : wanted;
	return 0;
}

void byte_source_take(struct byte_source *source, size_t size_bytes)
{
	source->begin += size_bytes;
	source->offset += size_bytes;
}

int byte_source_skip(struct byte_source *source, uint64_t size_bytes, uint64_t *ret_skipped)
{
	const uint8_t *bytes;
	size_t size;

	*ret_skipped = 0;
	while (*ret_skipped < size_bytes) {
		uint64_t left = size_bytes - *ret_skipped;
		int rc = byte_source_peek(
			source, left < source->room_bytes ? (size_t)left : source->room_bytes,
			&bytes, &size);

		if (rc < 0)
			return rc;
		if (size == 0)
			break;
		byte_source_take(source, size);
		*ret_skipped += size;
	}
	return 0;
}

bool byte_source_can_seek(const struct byte_source *source)
{
	return !source->gunzip && lseek(source->fd, 0, SEEK_CUR) >= 0;
}

int byte_source_seek(struct byte_source *source, uint64_t offset)
{
	if (source->gunzip)
		return -ESPIPE;
	if (offset > INT64_MAX || lseek(source->fd, (off_t)offset, SEEK_SET) < 0)
		return offset > INT64_MAX ? -EINVAL : -errno;
	source->begin = 0;
	source->end = 0;
	source->at_end = false;
	source->offset = offset;
	return 0;
}

int64_t byte_source_read_at(const struct byte_source *source, uint64_t offset, void *ret_bytes,
			    size_t size_bytes)
{
	size_t done = 0;

	if (source->gunzip)
		return -ESPIPE;
	if (offset > INT64_MAX - size_bytes)
		return 0;
	while (done < size_bytes) {
		ssize_t size = pread(source->fd, (char *)ret_bytes + done, size_bytes - done,
				     (off_t)(offset + done));

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return -errno;
		if (size == 0)
			break;
		done += (size_t)size;
	}
	return (int64_t)done;
}
