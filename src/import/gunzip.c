/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/gunzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define INPUT_BYTES (64u << 10)
#define GZIP_ONLY (15 + 16)	/* maximum window size; accept only the gzip format */

struct gunzip {
	z_stream stream;
	bool in_member, at_end, damaged;
	uint64_t taken_bytes;
	uint8_t input[INPUT_BYTES];
};

bool gunzip_begins(const uint8_t *head, size_t size_bytes)
{
	return size_bytes >= GUNZIP_HEAD_BYTES && head[0] == 0x1f && head[1] == 0x8b &&
	       head[2] == Z_DEFLATED;
}

int gunzip_new(const uint8_t *head, size_t size_bytes, struct gunzip **ret_gunzip)
{
	struct gunzip *gunzip = calloc(1, sizeof(*gunzip));

	if (!gunzip)
		return -ENOMEM;
	memcpy(gunzip->input, head, size_bytes);
	gunzip->stream.next_in = gunzip->input;
	gunzip->stream.avail_in = (unsigned int)size_bytes;
	gunzip->in_member = true;
	if (inflateInit2(&gunzip->stream, GZIP_ONLY) != Z_OK) {
		free(gunzip);
		return -ENOMEM;
	}
	*ret_gunzip = gunzip;
	return 0;
}

void gunzip_free(struct gunzip *gunzip)
{
	if (!gunzip)
		return;
	(void)inflateEnd(&gunzip->stream);
	free(gunzip);
}

bool gunzip_is_damaged(const struct gunzip *gunzip)
{
	return gunzip->damaged;
}

uint64_t gunzip_taken(const struct gunzip *gunzip)
{
	return gunzip->taken_bytes;
}

static int more_input(struct gunzip *gunzip, int fd)
{
	ssize_t size;

	if (gunzip->stream.avail_in)
		return 0;
	do
		size = read(fd, gunzip->input, INPUT_BYTES);
	while (size < 0 && errno == EINTR);
	if (size < 0)
		return -errno;
	gunzip->at_end = size == 0;
	gunzip->damaged |= gunzip->at_end && gunzip->in_member;
	gunzip->stream.next_in = gunzip->input;
	gunzip->stream.avail_in = (unsigned int)size;
	gunzip->taken_bytes += (uint64_t)size;
	return 0;
}

/*
 * Called between two members. Skips zero bytes, which some writers append as padding (for tapes,
 * for example). Any other byte is treated as the start of the next member; if it is not one,
 * unpack() finds the damage.
 */
static void begin_member(struct gunzip *gunzip)
{
	z_stream *stream = &gunzip->stream;

	while (stream->avail_in && *stream->next_in == 0) {
		stream->next_in++;
		stream->avail_in--;
	}
	if (stream->avail_in && inflateReset(stream) == Z_OK)
		gunzip->in_member = true;
}

static void unpack(struct gunzip *gunzip)
{
	switch (inflate(&gunzip->stream, Z_NO_FLUSH)) {
	case Z_OK:
	case Z_BUF_ERROR:	/* zlib needs more input */
		break;
	case Z_STREAM_END:
		gunzip->in_member = false;
		break;
	default:
		gunzip->damaged = true;
		gunzip->at_end = true;
	}
}

ssize_t gunzip_read(struct gunzip *gunzip, int fd, uint8_t *bytes, size_t room_bytes)
{
	size_t room = room_bytes < INT_MAX ? room_bytes : INT_MAX;

	gunzip->stream.next_out = bytes;
	gunzip->stream.avail_out = (unsigned int)room;
	while (!gunzip->at_end && gunzip->stream.avail_out == room) {
		int rc = more_input(gunzip, fd);

		if (rc < 0)
			return rc;
		if (!gunzip->in_member)
			begin_member(gunzip);
		if (gunzip->in_member && !gunzip->at_end)
			unpack(gunzip);
	}
	return (ssize_t)(room - gunzip->stream.avail_out);
}
