/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nameless_file.h - temporary files that nobody else can open and that vanish when closed */
#ifndef ASSAY_BASE_NAMELESS_FILE_H
#define ASSAY_BASE_NAMELESS_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* where large temporary files go; /tmp is not used, because it may be in memory */
#define NAMELESS_FILE_DIRECTORY "/var/tmp"
/* for mkostemp(), where a file needs a name for a moment */
#define NAMELESS_FILE_PATTERN "/.assay-XXXXXX"

/*
 * Returns a descriptor that can be read and written, or a negative errno. Some file systems do not
 * support O_TMPFILE; a file there has a name for a moment.
 */
static inline int nameless_file_open(const char *directory)
{
	char path[PATH_MAX];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR)
		return -errno;
	if (snprintf(path, sizeof(path), "%s" NAMELESS_FILE_PATTERN, directory) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	(void)unlink(path);
	return fd;
}

#endif
