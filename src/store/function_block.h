/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_block.h - functions as the columns of a block, their names as its text
 *
 * In a short recording, names are most of the content. Names compress to a sixth. Columns:
 *	image		zigzag difference from the previous image
 *	vaddr		zigzag difference from the end of the previous function
 *	size_bytes	as it is
 *	quality		2 * quality + root
 * The text has the name and the linkage name of each function, both NUL-terminated. The linkage
 * name is "" if it equals the name. A function of quality bracket has no linkage name. In its place
 * are the names of the two neighbours, with the byte 0x1f between them.
 */
#ifndef ASSAY_STORE_FUNCTION_BLOCK_H
#define ASSAY_STORE_FUNCTION_BLOCK_H

#include "model/model.h"
#include "store/block.h"

/* Returns the number of functions, starting with function @first, that fit in one block. */
uint32_t function_block_share(const struct model *model, size_t first);

int function_block_encode(struct block_codec *codec, const struct block_header *header,
			  const struct model *model);

/*
 * Decodes the block into @rows[0 .. count) and appends its text to *texts. `name`, `linkage_name`,
 * `before` and `after` of the rows are offsets into *texts. Returns -EBADMSG if the values are
 * impossible, or -ENOMEM.
 */
int function_block_decode(struct block_codec *codec, const struct block_header *header,
			  struct function *rows, struct byte_vec *texts);

#endif
