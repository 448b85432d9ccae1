/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mounts.h - which file systems always answer, by device. Private to src/elf. */
#ifndef ASSAY_ELF_MOUNTS_H
#define ASSAY_ELF_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct mount_answers {
	dev_t dev;
	bool always;
};

struct mounts {
	VEC(struct mount_answers) known;	/* of our own mounts */
	int changes_fd;				/* tells that our own mounts have changed */
};

void mounts_init(struct mounts *mounts);

/*
 * Returns true if the file system on @dev is one of the kernel's own, on a disk or in memory. It is
 * looked up in /proc/self/mountinfo, and then in that of process @tgid, if it is not 0. Returns
 * false for all others, and if there is no such mount. An overlay counts only if it is one of our
 * own mounts: users can make overlays of their FUSE file systems.
 */
bool mounts_always_answer(struct mounts *mounts, dev_t dev, uint32_t tgid);
void mounts_fini(struct mounts *mounts);

/*
 * Reads one line of mountinfo, of our own mounts or of others. Returns false if it is not a mount
 * of @dev.
 */
bool mounts_line_answers(const char *line, dev_t dev, bool is_own, bool *ret_always);

#endif
