/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/companions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define JOURNAL "-journal"

static const char *const suffixes[] = { JOURNAL, "-wal", "-shm" };

#define SUFFIX_COUNT (sizeof(suffixes) / sizeof(suffixes[0]))

/* If @path is a symbolic link, SQLite keeps the companions beside the file that it leads to. */
static int write_name(const char *path, const char *suffix, char name[static PATH_MAX])
{
	char real[PATH_MAX];
	int length = snprintf(name, PATH_MAX, "%s%s", realpath(path, real) ? real : path, suffix);

	return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int create(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	int rc;

	if (fd < 0)
		return -errno;
	rc = fchmod(fd, 0600) < 0 ? -errno : 0;		/* whatever the umask is */
	(void)close(fd);
	return rc;
}

int companions_create(const char *path, struct err *err)
{
	char name[PATH_MAX];

	for (size_t i = 0; i < SUFFIX_COUNT; i++) {
		int rc = write_name(path, suffixes[i], name);

		if (rc < 0)
			return err_sys(err, rc, "%s%s", path, suffixes[i]);
		rc = create(name);
		if (rc == -EEXIST)
			rc = unlink(name) < 0 ? -errno : create(name);
		if (rc < 0)
			return err_sys(err, rc, "%s: cannot be created anew", name);
	}
	return 0;
}

int companions_create_journal(const char *path, struct err *err)
{
	char name[PATH_MAX];
	int rc = write_name(path, JOURNAL, name);

	if (rc == 0)
		rc = create(name);
	return rc == 0 || rc == -EEXIST ? 0 : err_sys(err, rc, "%s" JOURNAL, path);
}

/* A journal that is empty, or whose first byte is 0, undoes nothing. */
void companions_remove_journal(const char *path)
{
	char name[PATH_MAX];
	_cleanup_close_ int fd = -1;
	uint8_t first;

	if (write_name(path, JOURNAL, name) < 0)
		return;
	fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (read(fd, &first, 1) != 1 || first == 0))
		(void)unlink(name);
}

bool companions_are_of_owner(const char *path)
{
	char name[PATH_MAX];
	struct stat recording, st;

	if (stat(path, &recording) < 0)
		return false;
	for (size_t i = 0; i < SUFFIX_COUNT; i++) {
		if (write_name(path, suffixes[i], name) < 0 || lstat(name, &st) < 0)
			continue;
		if (!S_ISREG(st.st_mode) || st.st_uid != recording.st_uid || st.st_nlink != 1)
			return false;
	}
	return true;
}

void companions_remove(const char *path)
{
	char name[PATH_MAX];

	for (size_t i = 0; i < SUFFIX_COUNT; i++)
		if (write_name(path, suffixes[i], name) == 0)
			(void)unlink(name);
}
