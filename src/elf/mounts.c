/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/mounts.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"

/* The kernel's own file systems on a disk or in memory. An overlay depends, see is_answering(). */
static const char *const answering[] = {
	"bcachefs", "btrfs", "configfs", "cramfs",   "devtmpfs", "erofs",    "exfat", "ext2",
	"ext3",	    "ext4",  "f2fs",	 "hfsplus",  "iso9660",	 "jfs",	     "msdos", "nilfs2",
	"ntfs3",    "proc",  "ramfs",	 "reiserfs", "rootfs",	 "squashfs", "sysfs", "tmpfs",
	"tracefs",  "udf",   "vfat",	 "xfs",	     "zfs",
};

void mounts_init(struct mounts *mounts)
{
	*mounts = (struct mounts){ .changes_fd = open("/proc/self/mountinfo",
						      O_RDONLY | O_CLOEXEC) };
}

void mounts_fini(struct mounts *mounts)
{
	if (mounts->changes_fd >= 0)
		(void)close(mounts->changes_fd);
	vec_free(&mounts->known);
}

static bool is_answering(const char *type, size_t length, bool is_own)
{
	if (is_own && length == strlen("overlay") && strncmp(type, "overlay", length) == 0)
		return true;
	for (size_t i = 0; i < sizeof(answering) / sizeof(answering[0]); i++)
		if (strlen(answering[i]) == length && strncmp(answering[i], type, length) == 0)
			return true;
	return false;
}

/*
 * The third word is the device, and the type is the word after " - ": proc_pid_mountinfo(5). A
 * blank in a path is written as \040.
 */
bool mounts_line_answers(const char *line, dev_t dev, bool is_own, bool *ret_always)
{
	const char *type = strstr(line, " - ");
	unsigned int major_number, minor_number;

	if (!type || sscanf(line, "%*u %*u %u:%u ", &major_number, &minor_number) != 2 ||
	    makedev(major_number, minor_number) != dev)
		return false;
	type += strlen(" - ");
	*ret_always = is_answering(type, strcspn(type, " \n"), is_own);
	return true;
}

/* Returns false if the mount is not in the file. */
static bool look_up(const char *path, dev_t dev, bool is_own, bool *ret_always)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t size_bytes = 0;

	while (file && getline(&line, &size_bytes, file) > 0)
		if (mounts_line_answers(line, dev, is_own, ret_always))
			return true;
	return false;
}

/* Forgets all if our own mounts have changed, because the numbers of devices are used again. */
static void follow_changes(struct mounts *mounts)
{
	struct pollfd changes = { .fd = mounts->changes_fd, .events = POLLPRI };

	if (mounts->changes_fd < 0 || poll(&changes, 1, 0) != 0)
		vec_clear(&mounts->known);
}

bool mounts_always_answer(struct mounts *mounts, dev_t dev, uint32_t tgid)
{
	struct mount_answers *added;
	bool always = false;
	char path[64];

	follow_changes(mounts);
	for (size_t i = 0; i < mounts->known.count; i++)
		if (mounts->known.at[i].dev == dev)
			return mounts->known.at[i].always;
	(void)snprintf(path, sizeof(path), "/proc/%u/mountinfo", tgid);
	if (!look_up("/proc/self/mountinfo", dev, true, &always))
		return tgid && look_up(path, dev, false, &always) && always;
	added = vec_push(&mounts->known);
	if (added)
		*added = (struct mount_answers){ dev, always };
	return always;
}
