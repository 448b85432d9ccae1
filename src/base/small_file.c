/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/small_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"

int small_file_read(const char *path, char *ret_text, size_t text_bytes)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t used = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t got = TEMP_FAILURE_RETRY(read(fd, ret_text + used, text_bytes - used));

		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		used += (size_t)got;
		if (used == text_bytes)
			return -EFBIG;
	}
	while (used > 0 && isspace((unsigned char)ret_text[used - 1]))
		used--;
	ret_text[used] = '\0';
	return 0;
}

int small_file_number(const char *path, int64_t *ret_number)
{
	char text[32];
	char *end;
	int64_t number;
	int code = small_file_read(path, text, sizeof(text));

	if (code < 0)
		return code;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (errno || end == text || *end)
		return -EINVAL;
	*ret_number = number;
	return 0;
}
