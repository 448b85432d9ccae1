/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_block.h - source lines as the columns of a block, the paths of their files as its text
 *
 * Columns:
 *	caller		0: none; otherwise the line's own id minus the caller's id
 *	file		0: none; otherwise 1 + the index of the path in the text
 *	line		zigzag difference from the previous line number
 *	function	zigzag difference from the previous function
 * The text has the path of each file that the lines refer to, without duplicates, NUL-terminated.
 */
#ifndef ASSAY_STORE_LINE_BLOCK_H
#define ASSAY_STORE_LINE_BLOCK_H

#include "model/model.h"
#include "store/block.h"

/* Returns the number of lines, starting with line @first, that fit in one block. */
uint32_t line_block_share(const struct model *model, size_t first);

int line_block_encode(struct block_codec *codec, const struct block_header *header,
		      const struct model *model);

/*
 * Decodes the block into @rows[0 .. count) and appends its text to *@texts. The field `file` of the
 * rows is an offset into *@texts. Whatever the block contains, the caller of a decoded line has a
 * smaller id than the line. The ids of functions are not checked here. Returns -EBADMSG if the
 * values are impossible, or -ENOMEM.
 */
int line_block_decode(struct block_codec *codec, const struct block_header *header,
		      struct source_line *rows, struct byte_vec *texts);

#endif
