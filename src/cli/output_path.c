/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output_path.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int stat_directory(const char *path, struct stat *ret_directory)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	return stat(dirname(copy), ret_directory) < 0 ? -errno : 0;
}

int output_path_check(const char *path, struct err *err)
{
	struct stat file, directory;

	if (lstat(path, &file) < 0 || stat_directory(path, &directory) < 0)
		return 0;	/* creating the file gives the reason, if it is one */
	if (!S_ISREG(file.st_mode) && !S_ISLNK(file.st_mode))
		return 0;
	if (!(directory.st_mode & (S_IWGRP | S_IWOTH)) || file.st_uid == geteuid() ||
	    file.st_uid == directory.st_uid)
		return 0;
	return err_set(err, -EPERM,
		       "%s: not overwritten, because it belongs to another user, and others may "
		       "write in its directory",
		       path);
}
