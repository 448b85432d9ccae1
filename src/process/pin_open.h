/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pin_open.h - opens the file that a process has mapped */
#ifndef ASSAY_PROCESS_PIN_OPEN_H
#define ASSAY_PROCESS_PIN_OPEN_H

#include "elf/file_opener.h"
#include "process/pins.h"

/*
 * Identifies the file of a mapping. If there is a build-id, only the build-id is compared.
 * Otherwise two mappings are compared by device, inode and generation, but an opened file only by
 * inode.
 */
struct file_identity {
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t dev, inode, generation;
};

/* Where a file is mapped: the process and the address range. size_bytes 0: range unknown. */
struct file_place {
	struct pin_user user;
	uint64_t start_addr, size_bytes;
};

/*
 * Opens the file that is mapped under @path, but only if its identity is @identity. Tries the
 * process's map_files entry first, then @path below the root directory of the process, below that
 * of its parent, and below our own. Returns 0 or a negative errno. If different errors occur,
 * returns the one that tells the user most: -ESTALE means that only other files were found, and
 * -ETIMEDOUT that a file system does not answer.
 */
int pin_open(struct file_opener *opener, const char *path, const struct file_identity *identity,
	     const struct file_place *place, struct image_file *ret_file);

/* Returns true if the open file has been written to since it was opened. */
bool pin_was_changed(const struct image_file *file);

#endif
