/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pin_open.h - from what a mapping says of its file to the open file
 */
#ifndef ASSAY_PROCESS_PIN_OPEN_H
#define ASSAY_PROCESS_PIN_OPEN_H

#include "process/pins.h"

/* Which file a mapping shows: by build-id, else by inode and its generation. */
struct file_identity {
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t dev, inode, generation;
};

/* Where in the user's address space it is mapped; size_bytes 0: nowhere that is known. */
struct file_place {
	struct pin_user user;
	uint64_t start_addr, size_bytes;
};

/*
 * The file at @path that is the one described.  -ESTALE: only others are there; else why the
 * likeliest place could not be read.
 */
int pin_open(const char *path, const struct file_identity *identity, const struct file_place *place,
	     struct image_file *ret_file);

/* Has the file behind the descriptor been written to since it was opened? */
bool pin_was_changed(const struct image_file *file);

#endif
