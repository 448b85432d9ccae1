/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - is what lies here what was recorded?
 */
#ifndef ASSAY_SYMBOLIZE_RECORDED_H
#define ASSAY_SYMBOLIZE_RECORDED_H

#include <stdbool.h>

#include "elf/image_file.h"
#include "model/model.h"

#define BUILD_ID_TEXT_SIZE (2 * IMAGE_BUILD_ID_MAX + 1)

/* By build-id or, where the image has none, by device, inode and time of modification. */
bool recorded_file_is(const struct image *image, const struct image_file *file);

/* The vdso of this process: by build-id or, where the image has none, by boot. */
bool recorded_vdso_is(const struct model *model, const struct image *image,
		      const struct image_file *own);

/* "none" of size 0; else into @text, which is returned. */
const char *build_id_text(const uint8_t *build_id, size_t size,
			  char text[static BUILD_ID_TEXT_SIZE]);

#endif
