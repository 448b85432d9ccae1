/* SPDX-License-Identifier: GPL-2.0-or-later */
#define ZLIB_CONST	/* makes zlib declare the input pointer const */

#include "export/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <zlib.h>

#define CHUNK_BYTES 65536
#define WINDOW_OF_GZIP (15 + 16)	/* maximum window size, gzip format; see zlib.h */
#define MEMORY_LEVEL 8
#define LEVEL 1				/* 25 % more output than level 6, in 1/3 of the time */

struct gzip {
	FILE *out;
	z_stream stream;
	unsigned char chunk[CHUNK_BYTES];
};

/*
 * Compresses all pending input and writes the output. If @flush is Z_FINISH, also writes the data
 * that zlib still holds in its buffers. Returns 0 or -1.
 */
static int compress_input(struct gzip *gzip, int flush)
{
	int rc;

	do {
		size_t size_bytes;

		gzip->stream.next_out = gzip->chunk;
		gzip->stream.avail_out = CHUNK_BYTES;
		rc = deflate(&gzip->stream, flush);
		if (rc == Z_STREAM_ERROR)
			return -1;
		size_bytes = CHUNK_BYTES - gzip->stream.avail_out;
		if (fwrite(gzip->chunk, 1, size_bytes, gzip->out) != size_bytes)
			return -1;
	} while (gzip->stream.avail_out == 0);
	return 0;
}

static ssize_t gzip_write(void *cookie, const char *bytes, size_t size_bytes)
{
	struct gzip *gzip = cookie;

	gzip->stream.next_in = (const Bytef *)bytes;
	gzip->stream.avail_in = (uInt)size_bytes;
	return compress_input(gzip, Z_NO_FLUSH) < 0 ? 0 : (ssize_t)size_bytes;
}

static int gzip_close(void *cookie)
{
	struct gzip *gzip = cookie;
	int rc;

	gzip->stream.avail_in = 0;
	rc = compress_input(gzip, Z_FINISH);
	(void)deflateEnd(&gzip->stream);
	free(gzip);
	return rc;
}

int gzip_open(FILE *out, FILE **ret_stream)
{
	static const cookie_io_functions_t functions = { .write = gzip_write, .close = gzip_close };
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return -ENOMEM;
	gzip->out = out;
	if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, WINDOW_OF_GZIP, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return -ENOMEM;
	}
	*ret_stream = fopencookie(gzip, "w", functions);
	if (!*ret_stream) {
		(void)deflateEnd(&gzip->stream);
		free(gzip);
		return -ENOMEM;
	}
	return 0;
}
