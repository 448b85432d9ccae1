/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * byte_source.h - read a file or a pipe from beginning to end
 *
 * The user of a source peeks at the next bytes and then consumes ("takes") as many bytes as it has
 * used. Peeked bytes stay valid until the next call. Gzip data is decompressed while it is read; a
 * compressed source cannot seek, unless it is copied first (byte_source_spool()). The file is read
 * and never mapped, because a mapped file could shrink during the import. The size that fstat(2)
 * reports is not used: the source ends when read(2) returns 0.
 */
#ifndef ASSAY_IMPORT_BYTE_SOURCE_H
#define ASSAY_IMPORT_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Limit on what byte_source_spool() decompresses: this many times the compressed size, and in any
 * case BYTE_SPOOL_FREE_BYTES. A perf.data usually shrinks to a tenth.
 */
#define BYTE_SPOOL_RATIO 200u
#define BYTE_SPOOL_FREE_BYTES ((uint64_t)64 << 20)

#define BYTE_SOURCE_BUFFER (1u << 20)	/* buffer size if only one file is read at a time */

struct byte_source {
	int fd;
	bool is_stdin;		/* fd is standard input and must not be closed */
	bool at_end;
	bool was_damaged;	/* byte_source_spool() found compressed data damaged */
	struct gunzip *gunzip;	/* NULL: the data is not compressed */
	uint8_t *buffer;
	size_t room_bytes;	/* size of buffer; limit on the bytes that can be peeked */
	/* the bytes in buffer that were read but not yet taken: [begin, end) */
	size_t begin, end;
	uint64_t offset;	/* offset in the (decompressed) data of the byte at index begin */
};

/* Opens @path; "-" is standard input. */
int byte_source_open(struct byte_source *source, const char *path, size_t room_bytes,
		     struct err *err);
void byte_source_fini(struct byte_source *source);

/*
 * Points *ret_bytes at the next @wanted bytes (at most room_bytes) without taking them. Near the
 * end of the source there may be fewer: *ret_size is the number of bytes. Returns 0 or the error of
 * read(2).
 */
int byte_source_peek(struct byte_source *source, size_t wanted, const uint8_t **ret_bytes,
		     size_t *ret_size);

/*
 * Returns true if compressed data was damaged or ended too early. byte_source_peek() does not
 * distinguish this from the normal end of the source.
 */
bool byte_source_is_damaged(const struct byte_source *source);

/* Consumes @size_bytes bytes, which must have been peeked. */
void byte_source_take(struct byte_source *source, size_t size_bytes);

/*
 * Skips @size_bytes, which may exceed room_bytes. If the source ends before that, *ret_skipped is
 * less than @size_bytes. Returns 0 or the error of read(2).
 */
int byte_source_skip(struct byte_source *source, uint64_t size_bytes, uint64_t *ret_skipped);

/*
 * Makes the next read start at @offset. Returns -ESPIPE if the source is compressed or cannot seek
 * (a pipe), or -EINVAL if @offset is too large.
 */
int byte_source_seek(struct byte_source *source, uint64_t offset);

/* Returns true if byte_source_seek() and byte_source_read_at() work. */
bool byte_source_can_seek(const struct byte_source *source);

/*
 * Copies the (decompressed) data to a temporary file in @directory, from which the source then
 * reads, starting with the first byte. The file has no name, so it vanishes with the source. Call
 * this before any byte was taken. @path is the name of the source in messages. Returns 0, or a
 * negative errno with a message: -E2BIG if compressed data expands beyond the limit.
 */
int byte_source_spool(struct byte_source *source, const char *path, const char *directory,
		      struct err *err);

/*
 * Reads bytes at @offset without moving the read position. Returns the number of bytes read,
 * -ESPIPE if the source is compressed, or the error of pread(2).
 */
int64_t byte_source_read_at(const struct byte_source *source, uint64_t offset, void *ret_bytes,
			    size_t size_bytes);

#endif
