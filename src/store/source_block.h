/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_block.h - source files as the text of a block
 *
 * Columns: size of the path and of the content of each file in bytes, and when it was changed
 * (mtime_ns), as they are.  Text: path and content of each, one after the other, without NUL.
 */
#ifndef ASSAY_STORE_SOURCE_BLOCK_H
#define ASSAY_STORE_SOURCE_BLOCK_H

#include "model/model.h"
#include "model/source.h"
#include "store/block.h"

/*
 * Those of @sources that are here: at most SOURCES_MAX, which with their paths have no more than
 * BLOCK_TEXT_MAX bytes. 0, -E2BIG or -ENOMEM.
 */
int source_block_encode(struct block_codec *codec, const struct model *model,
			const struct source_list *sources, uint32_t *ret_count);

/* A file of the block that lies in @codec; what it leads to is borrowed from there. */
struct source_entry {
	const char *path, *bytes;	/* no NUL behind them */
	size_t path_size_bytes, size_bytes;
	uint64_t mtime_ns;
};

/*
 * From *cursor 0 on the next entry. 1; 0 at the end, when all of the text was somebody's;
 * -EBADMSG when the block is not what source_block_encode() makes.
 */
struct source_cursor {
	uint32_t next;
	size_t at;		/* in the text */
};
int source_block_next(struct block_codec *codec, struct source_cursor *cursor,
		      struct source_entry *ret_entry);

#endif
