/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_block.h - source files as the text of a block
 *
 * A block has one entry for each file. Its columns are the sizes of the path and of the content in
 * bytes, and the modification time (mtime_ns). They are stored as they are, not as differences from
 * a prediction. The text has the path and the content of each file, one after the other, without
 * NULs.
 */
#ifndef ASSAY_STORE_SOURCE_BLOCK_H
#define ASSAY_STORE_SOURCE_BLOCK_H

#include "model/model.h"
#include "model/source.h"
#include "store/block.h"

/*
 * Encodes those files of @sources whose content is loaded. There may be at most SOURCES_MAX such
 * files, with at most BLOCK_TEXT_MAX bytes including their paths. Returns 0, -E2BIG or -ENOMEM.
 */
int source_block_encode(struct block_codec *codec, const struct model *model,
			const struct source_list *sources, uint32_t *ret_count);

/* One file of the block that @codec holds. The pointers are borrowed from @codec. */
struct source_entry {
	const char *path, *bytes;	/* not NUL-terminated */
	size_t path_size_bytes, size_bytes;
	uint64_t mtime_ns;
};

/*
 * Iterates over the entries of a block; *cursor starts zeroed. source_block_next() returns:
 *   1: *ret_entry is the next entry
 *   0: end of the block; the sizes of the entries add up to the whole text
 *   -EBADMSG: source_block_encode() cannot have written the block
 */
struct source_cursor {
	uint32_t next;
	size_t at;		/* offset in the text */
};
int source_block_next(struct block_codec *codec, struct source_cursor *cursor,
		      struct source_entry *ret_entry);

#endif
