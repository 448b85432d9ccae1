/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/kernel_symbols.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/kernel_state.h"
#include "elf/kallsyms_file.h"
#include "elf/regular_file.h"

#define FILE_NAME "kernel-symbols"

/* Returns true if the file belongs to this user and no other user can write to it. */
static bool is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool load(const char *path, uint64_t state, struct kallsyms *ret_kallsyms)
{
	_cleanup_close_ int fd = regular_file_open(AT_FDCWD, path, O_NOFOLLOW);

	return fd >= 0 && is_ours(fd) && kallsyms_file_read(fd, state, ret_kallsyms) == 0;
}

/* Errors are ignored: symbols that cannot be cached are read again next time. */
static void keep(const char *path, uint64_t state, const struct kallsyms *kallsyms)
{
	_cleanup_close_ int fd = -1;
	char fresh[PATH_MAX + 64];

	(void)snprintf(fresh, sizeof(fresh), "%s.%d", path, (int)getpid());
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (kallsyms_file_write(fd, state, kallsyms) < 0 || rename(fresh, path) < 0)
		(void)unlink(fresh);
}

int kernel_symbols_read(const char *cache_dir, struct kallsyms *ret_kallsyms, struct err *err)
{
	char path[PATH_MAX + 32];
	uint64_t state, after;
	bool has_place = kernel_state(&state) == 0 && cache_dir;
	int rc;

	if (has_place)
		(void)snprintf(path, sizeof(path), "%s/" FILE_NAME, cache_dir);
	if (has_place && load(path, state, ret_kallsyms))
		return 0;
	rc = kallsyms_read("/proc/kallsyms", ret_kallsyms, err);
	if (rc < 0 || !has_place || kernel_state(&after) < 0 || after != state)
		return rc;
	(void)mkdir(cache_dir, 0700);
	keep(path, state, ret_kallsyms);
	return 0;
}
