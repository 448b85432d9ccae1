/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_block.h - machine code as the text of a block
 *
 * The columns are image, vaddr, size_bytes and machine of each stretch of code, not predicted. The
 * text is the bytes of all stretches, one after the other.
 */
#ifndef ASSAY_STORE_CODE_BLOCK_H
#define ASSAY_STORE_CODE_BLOCK_H

#include "model/code.h"
#include "store/block.h"

/*
 * Encodes all of @codes. They fit one block because CODE_KEPT_BYTES_MAX limits them. Returns 0 or
 * -ENOMEM.
 */
int code_block_encode(struct block_codec *codec, const struct code_list *codes);

/* One stretch of code in the block that @codec holds. The bytes are borrowed from @codec. */
struct code_entry {
	uint64_t image, vaddr, size_bytes;
	uint16_t machine;
	const uint8_t *bytes;
};

/*
 * Iterates over the entries of a block; *cursor starts zeroed. code_block_next() returns:
 *   1: *ret_entry is the next entry
 *   0: end of the block, and the entries used up the whole text
 *   -EBADMSG: the block is not what code_block_encode() writes
 */
struct code_cursor {
	uint32_t next;
	size_t at;		/* offset in the text */
};
int code_block_next(struct block_codec *codec, struct code_cursor *cursor,
		    struct code_entry *ret_entry);

#endif
