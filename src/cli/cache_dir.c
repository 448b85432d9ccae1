/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cache_dir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const char *path)
{
	struct stat st;

	return path && *path == '/' && stat(path, &st) == 0 && st.st_uid == geteuid();
}

const char *cache_dir(char *path, size_t size_bytes)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length = 0;

	if (is_ours(cache)) {
		length = snprintf(path, size_bytes, "%s/assay", cache);
	} else if (!(cache && *cache == '/') && is_ours(home)) {
		length = snprintf(path, size_bytes, "%s/.cache", home);
		if (length > 0 && (size_t)length < size_bytes)
			(void)mkdir(path, 0700);
		length = snprintf(path, size_bytes, "%s/.cache/assay", home);
	}
	return length > 0 && (size_t)length < size_bytes ? path : NULL;
}
