/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - check that a file is the one that was recorded
 *
 * A file, or the vdso, of this machine is used only if it is the one that was recorded.
 */
#ifndef ASSAY_SYMBOLIZE_RECORDED_H
#define ASSAY_SYMBOLIZE_RECORDED_H

#include <stdbool.h>

#include "elf/image_file.h"
#include "model/model.h"

#define BUILD_ID_TEXT_SIZE (2 * IMAGE_BUILD_ID_MAX + 1)

/* Compares the build-ids or, if the image has none, device, inode and modification time. */
bool recorded_file_is(const struct image *image, const struct image_file *file);

/*
 * Checks whether the vdso of the running process is the recorded one. Compares build-ids or, if the
 * image has none, boot ids.
 */
bool recorded_vdso_is(const struct model *model, const struct image *image,
		      const struct image_file *own);

/* Returns "none" if @size is 0. Otherwise writes the build-id to @text in hex and returns @text. */
const char *build_id_text(const uint8_t *build_id, size_t size,
			  char text[static BUILD_ID_TEXT_SIZE]);

#endif
