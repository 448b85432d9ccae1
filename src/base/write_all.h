/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_all.h - writes to a file, however many calls of write(2) that takes */
#ifndef ASSAY_BASE_WRITE_ALL_H
#define ASSAY_BASE_WRITE_ALL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Returns 0 or a negative errno. */
static inline int write_all(int fd, const void *bytes, size_t size_bytes)
{
	const uint8_t *at = bytes;

	while (size_bytes > 0) {
		ssize_t n = write(fd, at, size_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size_bytes -= (size_t)n;
	}
	return 0;
}

#endif
