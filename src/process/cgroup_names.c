/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/cgroup_names.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/proc_read.h"

#define ROOT "/sys/fs/cgroup"
#define ROOT_ID 1		/* fixed cgroup_id() of the root group: include/linux/cgroup.h */
/* inode number of the initial cgroup namespace: PROC_CGROUP_INIT_INO, linux/proc_ns.h */
#define FIRST_NAMESPACE 0xeffffffbu
#define FILE_ID_KERNFS 0xfe	/* handle type of a 64-bit id: include/linux/exportfs.h */

/*
 * Returns true if we are in the initial cgroup namespace. In any other cgroup namespace, "/" is the
 * name of a group below the root.
 */
static bool is_in_first_namespace(void)
{
	struct stat own;

	return stat("/proc/self/ns/cgroup", &own) == 0 && own.st_ino == FIRST_NAMESPACE;
}

void cgroup_names_init(struct cgroup_names *names, struct model *model)
{
	struct statfs fs;

	*names = (struct cgroup_names){
		.model = model,
		.root_fd = -1,
		.root_is_known = is_in_first_namespace() && !proc_has_cgroup_v1(),
	};
	if (statfs(ROOT, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
		names->root_fd = open(ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void cgroup_names_fini(struct cgroup_names *names)
{
	if (names->root_fd >= 0)
		(void)close(names->root_fd);
	u64map_fini(&names->known);
}

static uint32_t ask(const struct cgroup_names *names, uint64_t id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} by = { .handle = { .handle_bytes = sizeof(id), .handle_type = FILE_ID_KERNFS } };
	_cleanup_close_ int fd = -1;
	char link[64], path[PATH_MAX];
	ssize_t length;

	memcpy(by.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(names->root_fd, &by.handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < (ssize_t)strlen(ROOT) || memcmp(path, ROOT, strlen(ROOT)) != 0)
		return 0;
	path[length] = '\0';
	return model_keep_name(names->model, path[strlen(ROOT)] ? path + strlen(ROOT) : "/");
}

uint32_t cgroup_names_find(struct cgroup_names *names, uint64_t id)
{
	uint32_t name = 0;

	if (names->root_is_known && id == ROOT_ID)
		return model_intern(names->model, "/");
	if (names->root_fd < 0 || u64map_get(&names->known, id, &name))
		return name;
	name = ask(names, id);
	(void)u64map_put(&names->known, id, name);
	return name;
}
