/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dumps.h - opens the jitdump files that processes map
 *
 * A JIT compiler that writes a jitdump (jit-<pid>.dump) maps the file executable. The only purpose
 * of this mapping is to tell profilers the path of the file. The file is opened at once, as image
 * files are (pins.h), because the process may exit and the file may be removed before the content
 * is needed. symbolize/jit.h reads the content. The functions here only make sure that the opened
 * file is a regular file, and the same one that was mapped.
 *
 * The recording session takes the descriptors whenever it takes records out of the rings. At most
 * JIT_DUMPS_MAX descriptors wait to be taken.
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
	/*
	 * Pid in the file's name: the pid of the process that writes the file, in that process's
	 * own pid namespace
	 */
	uint32_t named_pid;
	/* start and exec time of the process that mapped the file; start 0: unknown */
	uint64_t start_ns, exec_ns;
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
 * Opens the file that was mapped, if its name is that of a jitdump. The caller sets all fields of
 * @who except fd and named_pid. Returns false if the file could not be opened or if JIT_DUMPS_MAX
 * files are waiting.
 */
bool jit_dumps_see(struct jit_dumps *dumps, const struct jit_mapped_dump *who,
		   const struct record_mmap *mmap);

/* Takes the oldest entry; its descriptor now belongs to the caller. Returns false if none waits. */
bool jit_dumps_take(struct jit_dumps *dumps, struct jit_mapped_dump *ret_dump);

#endif
