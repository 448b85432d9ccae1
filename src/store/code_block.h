/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_block.h - machine code as the text of a block
 *
 * A block has one entry for each contiguous range of code. Its columns are image, vaddr, size_bytes
 * and machine. The values are stored as they are, not as differences from a prediction. The text is
 * the bytes of all ranges, one after the other.
 */
#ifndef ASSAY_STORE_CODE_BLOCK_H
#define ASSAY_STORE_CODE_BLOCK_H

#include "model/code.h"
#include "store/block.h"

/*
 * Encodes all of @codes into one block, which is always large enough because CODE_KEPT_BYTES_MAX
 * limits @codes. Returns 0 or -ENOMEM.
 */
int code_block_encode(struct block_codec *codec, const struct code_list *codes);

/*
 * One contiguous range of code in the block that @codec holds. The bytes are borrowed from @codec.
 */
struct code_entry {
	uint64_t image, vaddr, size_bytes;
	uint16_t machine;
	const uint8_t *bytes;
};

/*
 * Iterates over the entries of a block; *cursor starts zeroed. code_block_next() returns:
 *   1: *ret_entry is the next entry
 *   0: end of the block; the sizes of the entries add up to the whole text
 *   -EBADMSG: code_block_encode() cannot have written the block
 */
struct code_cursor {
	uint32_t next;
	size_t at;		/* offset in the text */
};
int code_block_next(struct block_codec *codec, struct code_cursor *cursor,
		    struct code_entry *ret_entry);

#endif
