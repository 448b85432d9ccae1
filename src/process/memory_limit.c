/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/memory_limit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/small_file.h"

/* Where a hierarchy is mounted, and the file that has the limit of a group. */
struct hierarchy {
	const char *mount, *file;
};

static const struct hierarchy version_1 = { "/sys/fs/cgroup/memory", "memory.limit_in_bytes" };
static const struct hierarchy version_2 = { "/sys/fs/cgroup", "memory.max" };

/* A group without limit has the word "max" in the file, or in version 1 a huge number. */
static void lower(const char *path, uint64_t *limit_bytes)
{
	int64_t found;

	if (small_file_number(path, &found) == 0 && found > 0 && (uint64_t)found < *limit_bytes)
		*limit_bytes = (uint64_t)found;
}

/* Lowers *@limit_bytes to the least limit of @group and of all groups above. Changes @group. */
static void lower_by_groups(const char *sysroot, const struct hierarchy *hierarchy, char *group,
			    uint64_t *limit_bytes)
{
	char path[PATH_MAX];
	char *slash;

	for (;;) {
		if (snprintf(path, sizeof(path), "%s%s%s/%s", sysroot, hierarchy->mount, group,
			     hierarchy->file) < (int)sizeof(path))
			lower(path, limit_bytes);
		slash = strrchr(group, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

/* Takes a line of /proc/PID/cgroup, such as "4:memory:/jobs/build" or "0::/system.slice". */
static void take_line(const char *sysroot, char *line, uint64_t *limit_bytes)
{
	char *controllers = strchr(line, ':');
	char *group = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!group)
		return;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	if (strcmp(controllers + 1, "memory") == 0)
		lower_by_groups(sysroot, &version_1, group, limit_bytes);
	else if (!controllers[1])
		lower_by_groups(sysroot, &version_2, group, limit_bytes);
}

uint64_t memory_limit_bytes(const char *sysroot)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t limit_bytes = pages > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
	_cleanup_fclose_ FILE *file = NULL;
	char line[PATH_MAX + 64];

	if (snprintf(line, sizeof(line), "%s/proc/self/cgroup", sysroot) < (int)sizeof(line))
		file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file))
		take_line(sysroot, line, &limit_bytes);
	return limit_bytes;
}
