/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - check that a file is the one that was recorded
 *
 * A file of this machine, or its vdso, is used only if it is the one that was recorded.
 */
#ifndef ASSAY_SYMBOLIZE_RECORDED_H
#define ASSAY_SYMBOLIZE_RECORDED_H

#include <stdbool.h>

#include "elf/image_file.h"
#include "model/model.h"

#define BUILD_ID_TEXT_SIZE (2 * IMAGE_BUILD_ID_MAX + 1)

/*
 * Returns true if @file is the recorded file of @image. Compares the build-ids. If the image has
 * none, compares device, inode and modification time.
 */
bool recorded_file_is(const struct image *image, const struct image_file *file);

/*
 * Returns the place of a recorded @path below @sysroot, which may be NULL. Returns NULL if out of
 * memory. The caller frees the result.
 */
char *recorded_path_below(const char *sysroot, const char *path);

/*
 * Returns true if @own, the vdso of this process, is the recorded one. Compares the build-ids. If
 * the image has none, compares the boot id of this machine with the recorded boot id.
 */
bool recorded_vdso_is(const struct model *model, const struct image *image,
		      const struct image_file *own);

/* Returns "none" if @size is 0. Otherwise writes the build-id to @text in hex and returns @text. */
const char *build_id_text(const uint8_t *build_id, size_t size,
			  char text[static BUILD_ID_TEXT_SIZE]);

#endif
