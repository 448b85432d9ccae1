/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opener_child.h - the processes that open files for a file_opener. Private to src/elf.
 *
 * The first child only does what cannot wait: it looks up names that the kernel has in memory, and
 * forks workers. A worker opens files, which may take for ever, and is then killed. Workers are
 * children of the process that owns the opener, so that it can wait for them.
 *
 * Each request is a struct opener_request, without what follows the path's NUL; a worker gets only
 * paths. Each answer is an int32_t: 0 with a descriptor, the pid of a worker, or a negative errno.
 */
#ifndef ASSAY_ELF_OPENER_CHILD_H
#define ASSAY_ELF_OPENER_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum opener_request_kind {
	OPENER_LOOK,		/* with a descriptor if the path is below that directory */
	OPENER_WORKER,		/* with the worker's socket */
};

struct opener_request {
	uint32_t kind;
	bool in_root;		/* OPENER_LOOK: RESOLVE_IN_ROOT */
	char path[PATH_MAX];
};

#define OPENER_REQUEST_HEAD offsetof(struct opener_request, path)

/* Runs as a child of @parent. */
_Noreturn void opener_child_run(int socket, pid_t parent);

/*
 * Returns a descriptor (O_PATH) of the place that @path leads to, without asking a file system, or
 * a negative errno: -EAGAIN if the kernel does not have the path in memory, or knows no such
 * look-up (before 5.12); -ENOSYS if this process may not make one.
 */
int opener_look(int dir_fd, const char *path, bool in_root);

#endif
