/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/cgroup_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>

#include "base/cleanup.h"

static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static bool is_hierarchy(const struct mntent *mount, bool v2)
{
	if (v2)
		return strcmp(mount->mnt_type, "cgroup2") == 0;
	return strcmp(mount->mnt_type, "cgroup") == 0 && hasmntopt(mount, "perf_event");
}

static void end_mounts(FILE **mounts)
{
	if (*mounts)
		(void)endmntent(*mounts);
}

static int open_below(const char *path, bool v2)
{
	_cleanup_(end_mounts) FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;
	int fd = -ENOENT;

	while (mounts && fd < 0 && (mount = getmntent(mounts)) != NULL) {
		char full[4096];

		if (!is_hierarchy(mount, v2))
			continue;
		(void)snprintf(full, sizeof(full), "%s/%s", mount->mnt_dir, path);
		fd = open_dir(full);
	}
	return fd;
}

int cgroup_dir_open(const char *path, struct err *err)
{
	int fd = path[0] == '/' ? open_dir(path) : open_below(path, true);

	if (fd < 0)
		fd = open_below(path, true);
	if (fd < 0)
		fd = open_below(path, false);
	if (fd < 0)
		return err_sys(err, fd, "cannot open control group %s", path);
	return fd;
}
