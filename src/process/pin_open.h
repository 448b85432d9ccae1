/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pin_open.h - opens the file that a process has mapped */
#ifndef ASSAY_PROCESS_PIN_OPEN_H
#define ASSAY_PROCESS_PIN_OPEN_H

#include "process/pins.h"

/*
 * Identifies the file of a mapping: by build-id if there is one, otherwise by inode and generation.
 */
struct file_identity {
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t dev, inode, generation;
};

/* Process and address range where the file is mapped; size_bytes 0: unknown. */
struct file_place {
	struct pin_user user;
	uint64_t start_addr, size_bytes;
};

/*
 * Opens the file at @path, but only if the file has @identity. Tries the process's map_files entry,
 * its root directory, its parent's root directory, then our own. Returns -ESTALE if only other
 * files were found, or another negative errno: the most informative of the errors seen.
 */
int pin_open(const char *path, const struct file_identity *identity, const struct file_place *place,
	     struct image_file *ret_file);

/* Returns true if the open file has been written to since it was opened. */
bool pin_was_changed(const struct image_file *file);

#endif
