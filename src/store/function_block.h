/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_block.h - functions as the columns of a block, their names as its text
 *
 * Names are most of what a short recording holds, and compress to a sixth.  Columns:
 *	image		zigzag difference to the one before
 *	vaddr		zigzag difference to the end of the function before
 *	size_bytes	as it is
 *	quality		2 * quality + root
 * Text: for each function its name and its linkage name ("" where it is the same), each with a
 * NUL behind it.
 */
#ifndef ASSAY_STORE_FUNCTION_BLOCK_H
#define ASSAY_STORE_FUNCTION_BLOCK_H

#include "model/model.h"
#include "store/block.h"

/* How many functions from @first on fit one block. */
uint32_t function_block_share(const struct model *model, size_t first);

int function_block_encode(struct block_codec *codec, const struct block_header *header,
			  const struct model *model);

/*
 * Into @rows[0 .. count), whose name and linkage_name are then offsets into *texts, to which
 * the block's text is added. -EBADMSG when it cannot be; -ENOMEM.
 */
int function_block_decode(struct block_codec *codec, const struct block_header *header,
			  struct function *rows, struct byte_vec *texts);

#endif
