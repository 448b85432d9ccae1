/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_block.h - source lines as the columns of a block, the paths of their files as its text
 *
 * Columns:
 *	caller		0: none; else the distance from the line's own id back to it
 *	file		0: none; else 1 + which path of the text
 *	line		zigzag difference to the one before
 *	function	zigzag difference to the one before
 * Text: each path that the block's lines are in, once, with a NUL behind it.
 */
#ifndef ASSAY_STORE_LINE_BLOCK_H
#define ASSAY_STORE_LINE_BLOCK_H

#include "model/model.h"
#include "store/block.h"

/* How many lines from @first on fit one block. */
uint32_t line_block_share(const struct model *model, size_t first);

int line_block_encode(struct block_codec *codec, const struct block_header *header,
		      const struct model *model);

/*
 * Into @rows[0 .. count), whose `file` is then an offset into *texts, to which the block's text is
 * added. A line's caller is always smaller than its own id, whatever the block says; functions are
 * not checked here. -EBADMSG when it cannot be; -ENOMEM.
 */
int line_block_decode(struct block_codec *codec, const struct block_header *header,
		      struct source_line *rows, struct byte_vec *texts);

#endif
