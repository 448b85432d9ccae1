/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Returns 0, or an error if @fd is not a regular file. */
static int check_regular(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

int regular_file_open_place(int place)
{
	char link[64];
	int rc = check_regular(place), fd;

	if (rc < 0)
		return rc;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	fd = open(link, OPEN_FLAGS);
	return fd < 0 ? -errno : fd;
}

int regular_file_open(int dir_fd, const char *path, int flags)
{
	_cleanup_close_ int place = openat(dir_fd, path, O_PATH | O_CLOEXEC | flags);
	_cleanup_close_ int fd = -1;
	int rc;

	if (place < 0)
		return -errno;
	rc = regular_file_open_place(place);
	if (rc != -ENOENT)
		return rc;

	fd = openat(dir_fd, path, OPEN_FLAGS | flags);
	if (fd < 0)
		return -errno;
	rc = check_regular(fd);
	return rc < 0 ? rc : TAKE_FD(fd);
}
