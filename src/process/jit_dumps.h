/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dumps.h - the jitdumps that processes map, held open from then on
 *
 * A run-time compiler that writes jit-<pid>.dump maps the file executable, only so that a profiler
 * hears of it.  It is opened at once, as images are (pins.h): the process may be gone, and its file
 * removed, before anything in it is asked for.  What it says is read in symbolize/jit.h; here it is
 * only made sure that the file is a regular one, and the one that was mapped.
 *
 * The session takes the descriptors when it drains; of those that nobody took at most
 * JIT_DUMPS_MAX wait.
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
	uint32_t named_pid;		/* in the file's name: who began it, in his pid namespace */
	uint64_t start_ns, exec_ns;	/* of the process; start 0: not known */
	int fd;
};

struct jit_dumps {
	VEC(struct jit_mapped_dump) list;
};

void jit_dumps_fini(struct jit_dumps *dumps);	/* closes what nobody took */

/* The pid in its name, if it is called as a jitdump is; else 0. */
uint32_t jit_dumps_pid(const char *path);

/*
 * Is it the file that a record of its mapping names so?  Inode 0 says nothing; nor do devices where
 * one is none of a disk: file systems show others in stat(2) than to the kernel.
 */
bool jit_dumps_is_same(const struct stat *st, uint64_t dev, uint64_t inode);

/*
 * Opens the file of a mapping whose name says that it is a jitdump; @who: but for fd and
 * named_pid.  False when it could not be opened or too many wait.
 */
bool jit_dumps_see(struct jit_dumps *dumps, const struct jit_mapped_dump *who,
		   const struct record_mmap *mmap);

/* The oldest, which is the caller's to close; false when there is none. */
bool jit_dumps_take(struct jit_dumps *dumps, struct jit_mapped_dump *ret_dump);

#endif
