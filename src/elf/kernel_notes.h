/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_notes.h - the build-ids of the running kernel and its modules
 *
 * A build-id is in an ELF note, and sysfs shows the ELF notes of the kernel and its modules. The
 * notes of the kernel are in one file. Each note section of a module is a file in
 * /sys/module/<name>/notes.
 */
#ifndef ASSAY_ELF_KERNEL_NOTES_H
#define ASSAY_ELF_KERNEL_NOTES_H

#include "elf/image_file.h"

#define KERNEL_NOTES_PATH "/sys/kernel/notes"

/*
 * Reads the build-id in the file @path. *@ret_size is at least 1 on success. Returns 0, -ENODATA if
 * there is no build-id, or an error of open(2) or read(2).
 */
int kernel_notes_build_id(const char *path, uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX],
			  size_t *ret_size);

#endif
