/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dumps.h - the jitdump files that processes map, kept open
 *
 * A JIT compiler that writes jit-<pid>.dump maps the file executable for one purpose: to make its
 * path known to a profiler. The file is opened at once, as image files are (pins.h), because the
 * process may exit and its file may be removed before anything in the file is needed.
 * symbolize/jit.h reads the content. This file only makes sure that the opened file is a regular
 * file and the file that was mapped.
 *
 * The session takes the descriptors when it drains. At most JIT_DUMPS_MAX descriptors wait to be
 * taken.
 */
#ifndef ASSAY_PROCESS_JIT_DUMPS_H
#define ASSAY_PROCESS_JIT_DUMPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "perf/record.h"

#define JIT_DUMPS_MAX 64

struct jit_mapped_dump {
	uint32_t tgid;
	/* pid in the file's name: the writing process, as its own pid namespace numbers it */
	uint32_t named_pid;
	uint64_t start_ns, exec_ns;	/* of the process; start 0: unknown */
	int fd;
};

struct jit_dumps {
	VEC(struct jit_mapped_dump) list;
};

void jit_dumps_fini(struct jit_dumps *dumps);	/* closes descriptors that were not taken */

/* Returns the pid in the file's name if the name is that of a jitdump, else 0. */
uint32_t jit_dumps_pid(const char *path);

/*
 * Returns true if @st is the file that a mapping record describes by @dev and @inode. An inode of 0
 * matches any file. Devices are compared only if both have a major number, as disks do: other file
 * systems show one device in stat(2) and another in the kernel's records.
 */
bool jit_dumps_is_same(const struct stat *st, uint64_t dev, uint64_t inode);

/*
 * Opens the file of a mapping whose name is that of a jitdump. @who has all fields set except fd
 * and named_pid. Returns false if the file could not be opened or too many files are waiting.
 */
bool jit_dumps_see(struct jit_dumps *dumps, const struct jit_mapped_dump *who,
		   const struct record_mmap *mmap);

/*
 * Takes the oldest entry; its descriptor now belongs to the caller. Returns false if there is none.
 */
bool jit_dumps_take(struct jit_dumps *dumps, struct jit_mapped_dump *ret_dump);

#endif
