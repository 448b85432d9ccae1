/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_block.h - machine code as the text of a block
 *
 * Columns: image, vaddr, size_bytes and machine of each stretch, as they are.  Text: their bytes,
 * one after the other.
 */
#ifndef ASSAY_STORE_CODE_BLOCK_H
#define ASSAY_STORE_CODE_BLOCK_H

#include "model/code.h"
#include "store/block.h"

/* All of @codes, which fit a block by what CODE_KEPT_BYTES_MAX allows. 0 or -ENOMEM. */
int code_block_encode(struct block_codec *codec, const struct code_list *codes);

/* A stretch of the block that lies in @codec; its bytes are borrowed from there. */
struct code_entry {
	uint64_t image, vaddr, size_bytes;
	uint16_t machine;
	const uint8_t *bytes;
};

/*
 * From *cursor 0 on the next entry. 1; 0 at the end, when all of the text was somebody's;
 * -EBADMSG when the block is not what code_block_encode() makes.
 */
struct code_cursor {
	uint32_t next;
	size_t at;		/* in the text */
};
int code_block_next(struct block_codec *codec, struct code_cursor *cursor,
		    struct code_entry *ret_entry);

#endif
