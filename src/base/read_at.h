/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_at.h - reads from a place in a file, however many calls of pread(2) that takes */
#ifndef ASSAY_BASE_READ_AT_H
#define ASSAY_BASE_READ_AT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Returns the number of bytes that were read: fewer than @size_bytes at the end, or on an error. */
static inline size_t read_at(int fd, void *ret_bytes, size_t size_bytes, uint64_t at)
{
	size_t have = 0;

	while (have < size_bytes) {
		ssize_t got = pread(fd, (uint8_t *)ret_bytes + have, size_bytes - have,
				    (off_t)(at + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return have;
}

#endif
