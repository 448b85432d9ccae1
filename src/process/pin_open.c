/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/pin_open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/clock.h"

#define PLACE_MAX_BYTES (PATH_MAX + 64)

static bool is_same_file(const struct image_file *file, const struct file_identity *identity)
{
	if (identity->build_id_size)
		return file->build_id_size == identity->build_id_size &&
		       memcmp(file->build_id, identity->build_id, file->build_id_size) == 0;
	return identity->inode == 0 || file->inode == identity->inode;
}

static int open_one(struct file_opener *opener, uint32_t tgid, const char *place,
		    const struct file_identity *identity, struct image_file *ret_file)
{
	int fd = file_opener_open(opener, place, tgid);
	struct image_file file;
	int rc;

	if (fd < 0)
		return fd;
	rc = image_file_from_fd(fd, place, &file, NULL);
	if (rc < 0)
		return rc;
	if (!is_same_file(&file, identity)) {
		image_file_fini(&file);
		return -ESTALE;
	}
	*ret_file = file;
	return 0;
}

/*
 * Returns the more informative of two errors. A wrong or damaged file is more informative than a
 * missing one.
 */
static int weightier(int a, int b)
{
	static const int order[] = { -ETIMEDOUT, -ENOEXEC, -EINVAL, -ESTALE, -EACCES, -EPERM };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a ? a : b;
}

int pin_open(struct file_opener *opener, const char *path, const struct file_identity *identity,
	     const struct file_place *place, struct image_file *ret_file)
{
	const uint32_t roots[] = { place->user.tgid, place->user.parent_tgid };
	char name[PLACE_MAX_BYTES];
	int rc = 0, last;

	if (place->user.tgid && place->size_bytes) {
		(void)snprintf(name, sizeof(name), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64,
			       place->user.tgid, place->start_addr,
			       place->start_addr + place->size_bytes);
		rc = open_one(opener, place->user.tgid, name, identity, ret_file);
		if (rc == 0 || rc == -ETIMEDOUT)
			return rc;
		rc = 0;
	}
	if (path[0] != '/')
		return -ENOENT;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (!roots[i])
			continue;
		(void)snprintf(name, sizeof(name), "/proc/%u/root%s", roots[i], path);
		last = open_one(opener, roots[i], name, identity, ret_file);
		if (last == 0)
			return 0;
		rc = weightier(rc, last);
	}
	last = open_one(opener, 0, path, identity, ret_file);
	return last == 0 ? 0 : weightier(rc, last);
}

bool pin_was_changed(const struct image_file *file)
{
	struct statx st;

	if (file->fd < 0 || statx(file->fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
				  STATX_SIZE | STATX_MTIME, &st) < 0)
		return false;
	return st.stx_size != file->size_bytes ||
	       (uint64_t)st.stx_mtime.tv_sec * NS_PER_SEC + st.stx_mtime.tv_nsec != file->mtime_ns;
}
