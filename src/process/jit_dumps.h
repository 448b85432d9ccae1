/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dumps.h - opens the jitdump files that processes map
 *
 * A JIT compiler that writes a jitdump (jit-<pid>.dump) maps the file executable. The only purpose
 * of this mapping is to tell profilers the path of the file. assay opens the file as soon as it
 * sees the mapping (as with image files, see pins.h), because the process may exit and the file may
 * be removed before the content is needed. symbolize/jit.h reads the content. The functions here
 * only make sure that the opened file is a regular file, and the same file that was mapped.
 *
 * The opened files wait in a list. Whenever the recording session reads records from the rings, it
 * also takes the descriptors from this list. The list holds at most JIT_DUMPS_MAX descriptors.
 */
#ifndef ASSAY_PROCESS_JIT_DUMPS_H
#define ASSAY_PROCESS_JIT_DUMPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "elf/file_opener.h"
#include "perf/record.h"

#define JIT_DUMPS_MAX 64

struct jit_mapped_dump {
	uint32_t tgid;
	/*
	 * Pid in the file's name: the pid of the process that writes the file, in that process's
	 * own pid namespace
	 */
	uint32_t named_pid;
	/*
	 * times at which the process that mapped the file started and last called exec; start 0:
	 * unknown
	 */
	uint64_t start_ns, exec_ns;
	int fd;
};

struct jit_dumps {
	struct file_opener *opener;		/* borrowed; NULL: open directly */
	VEC(struct jit_mapped_dump) list;
};

void jit_dumps_fini(struct jit_dumps *dumps);	/* closes descriptors that were not taken */

/* Returns the pid in the file's name if the name is that of a jitdump, else 0. */
uint32_t jit_dumps_pid(const char *path);

/*
 * Returns true if a file is the same as that of @dev and @inode, which come from a mapping record.
 * An @inode of 0 matches any file. Devices are compared only if both device numbers have a major
 * number other than 0, as those of disks have. For other file systems, stat(2) can return another
 * device than the kernel's records.
 */
bool jit_dumps_is_same(dev_t file_dev, uint64_t file_inode, uint64_t dev, uint64_t inode);

/*
 * Opens the mapped file, which the caller has recognized as a jitdump by its name, and appends it
 * to the list. In @who, the caller sets all fields except fd and named_pid. Returns false if the
 * file could not be opened, if the list already has JIT_DUMPS_MAX entries, or if out of memory.
 */
bool jit_dumps_see(struct jit_dumps *dumps, const struct jit_mapped_dump *who,
		   const struct record_mmap *mmap);

/* Takes the oldest entry; its descriptor now belongs to the caller. Returns false if none waits. */
bool jit_dumps_take(struct jit_dumps *dumps, struct jit_mapped_dump *ret_dump);

#endif
