/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/jit_dumps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "elf/file_opener.h"

#define PREFIX "jit-"
#define SUFFIX ".dump"
#define PID_MAX (1u << 22)	/* PID_MAX_LIMIT */

void jit_dumps_fini(struct jit_dumps *dumps)
{
	for (size_t i = 0; i < dumps->list.count; i++)
		file_opener_close(dumps->opener, dumps->list.at[i].fd);
	vec_free(&dumps->list);
}

uint32_t jit_dumps_pid(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	uint32_t pid = 0;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	name += strlen(PREFIX);
	for (; *name >= '0' && *name <= '9' && pid <= PID_MAX; name++)
		pid = pid * 10 + (uint32_t)(*name - '0');
	if (strcmp(name, SUFFIX) != 0 && strcmp(name, SUFFIX " (deleted)") != 0)
		return 0;
	return pid <= PID_MAX ? pid : 0;
}

bool jit_dumps_is_same(dev_t file_dev, uint64_t file_inode, uint64_t dev, uint64_t inode)
{
	bool tell = major(dev) && major(file_dev);

	return !inode || (file_inode == inode && (!tell || file_dev == dev));
}

static int open_if_same(const struct jit_dumps *dumps, uint32_t tgid, const char *path,
			const struct record_mmap *mmap)
{
	int fd = file_opener_open(dumps->opener, path, tgid);
	struct statx st;
	int rc;

	if (fd < 0)
		return fd;
	/* Its file system may not answer, so it is not asked. */
	rc = statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &st) < 0 ? -errno : 0;
	if (rc == 0 && jit_dumps_is_same(makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino,
					 mmap->dev, mmap->inode))
		return fd;
	file_opener_close(dumps->opener, fd);
	return rc < 0 ? rc : -ESTALE;
}

static int open_mapped(const struct jit_dumps *dumps, uint32_t tgid, const struct record_mmap *mmap)
{
	char path[PATH_MAX + 64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, tgid,
		       mmap->start_addr, mmap->start_addr + mmap->size_bytes);
	fd = open_if_same(dumps, tgid, path, mmap);
	if (fd >= 0 || fd == -ETIMEDOUT || mmap->path[0] != '/')
		return fd;
	(void)snprintf(path, sizeof(path), "/proc/%u/root%s", tgid, mmap->path);
	fd = open_if_same(dumps, tgid, path, mmap);
	return fd >= 0 ? fd : open_if_same(dumps, 0, mmap->path, mmap);
}

bool jit_dumps_see(struct jit_dumps *dumps, const struct jit_mapped_dump *who,
		   const struct record_mmap *mmap)
{
	struct jit_mapped_dump *dump;
	int fd;

	if (dumps->list.count >= JIT_DUMPS_MAX)
		return false;
	fd = open_mapped(dumps, who->tgid, mmap);
	if (fd < 0)
		return false;
	dump = vec_push(&dumps->list);
	if (!dump) {
		file_opener_close(dumps->opener, fd);
		return false;
	}
	*dump = *who;
	dump->fd = fd;
	dump->named_pid = jit_dumps_pid(mmap->path);
	return true;
}

bool jit_dumps_take(struct jit_dumps *dumps, struct jit_mapped_dump *ret_dump)
{
	if (!dumps->list.count)
		return false;
	*ret_dump = dumps->list.at[0];
	memmove(dumps->list.at, dumps->list.at + 1, --dumps->list.count * sizeof(*ret_dump));
	return true;
}
