/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_notes.h - the build-id of the running kernel and its modules
 *
 * sysfs shows the ELF notes that they were linked with: those of the kernel in one file, and
 * each section of a module's in /sys/module/<name>/notes.
 */
#ifndef ASSAY_ELF_KERNEL_NOTES_H
#define ASSAY_ELF_KERNEL_NOTES_H

#include "elf/image_file.h"

#define KERNEL_NOTES_PATH "/sys/kernel/notes"

/* *ret_size is at least 1. -ENODATA when there is no build-id, or an error of open or read(2). */
int kernel_notes_build_id(const char *path, uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX],
			  size_t *ret_size);

#endif
