/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * byte_source.h - a file or a pipe, read from the beginning to the end
 *
 * What gzip has packed is unpacked on the way, and cannot be gone about in.
 * The file is read, never mapped: it can shrink while it is read.  What was peeked stays where it
 * is until the next call.  Nothing is asked of the size that a file claims: it ends where no more
 * comes.
 */
#ifndef ASSAY_IMPORT_BYTE_SOURCE_H
#define ASSAY_IMPORT_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BYTE_SOURCE_BUFFER (1u << 20)	/* of one that is read alone */

struct byte_source {
	int fd;
	bool is_stdin;		/* not ours to close */
	bool at_end;
	struct gunzip *gunzip;	/* NULL: it is not packed */
	uint8_t *buffer;
	size_t room_bytes;	/* the most that can be peeked */
	size_t begin, end;	/* of what was read and not taken */
	uint64_t offset;	/* in the file, of begin */
};

/* @path "-": standard input. */
int byte_source_open(struct byte_source *source, const char *path, size_t room_bytes,
		     struct err *err);
void byte_source_fini(struct byte_source *source);

/*
 * The next bytes, @wanted of them (at most room_bytes) or all there are up to the end.
 * 0 or the error of read(2).
 */
int byte_source_peek(struct byte_source *source, size_t wanted, const uint8_t **ret_bytes,
		     size_t *ret_size);

/* What was packed ended too early or is damaged, which looks like its end. */
bool byte_source_is_damaged(const struct byte_source *source);

/* Takes bytes that were peeked. */
void byte_source_take(struct byte_source *source, size_t size_bytes);

/* Takes more than fits, for what is not looked at; *ret_skipped: less at the end. */
int byte_source_skip(struct byte_source *source, uint64_t size_bytes, uint64_t *ret_skipped);

/* Goes on at @offset; -ESPIPE for what is no file, or packed. */
int byte_source_seek(struct byte_source *source, uint64_t offset);

/* Bytes at @offset, without moving; how many there were, or the error of pread(2). */
int64_t byte_source_read_at(const struct byte_source *source, uint64_t offset, void *ret_bytes,
			    size_t size_bytes);

#endif
