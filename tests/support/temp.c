/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "temp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *keep_name(struct temp_dir *dir, const char *path)
{
	char **kept = vec_push(&dir->names);

	if (!kept || !(*kept = strdup(path)))
		abort();
	return *kept;
}

struct temp_dir temp_dir_make(void)
{
	struct temp_dir dir = { .path = "/tmp/assay-test-XXXXXX" };

	if (!mkdtemp(dir.path))
		abort();
	return dir;
}

static void make_directories(struct temp_dir *dir, char *path)
{
	char *slash = path + strlen(dir->path) + 1;

	while ((slash = strchr(slash, '/'))) {
		*slash = '\0';
		if (mkdir(path, 0700) == 0)
			(void)keep_name(dir, path);
		*slash++ = '/';
	}
}

const char *temp_file(struct temp_dir *dir, const char *name, const void *bytes, size_t size_bytes)
{
	char path[1024];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	make_directories(dir, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, size_bytes) != (ssize_t)size_bytes || close(fd) < 0)
		abort();
	return keep_name(dir, path);
}

void temp_dir_remove(struct temp_dir *dir)
{
	for (size_t i = dir->names.count; i > 0; i--) {
		(void)remove(dir->names.at[i - 1]);
		free(dir->names.at[i - 1]);
	}
	vec_free(&dir->names);
	(void)rmdir(dir->path);
}
