/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaf_pages.h - finds the rows of the table `block` in the pages of a file, without the tree
 *
 * Format: https://www.sqlite.org/fileformat.html, sections 1.6 and 2.1. A row is recognized by its
 * eight columns and by the checksum of the block. The file is not trusted.
 */
#ifndef ASSAY_STORE_LEAF_PAGES_H
#define ASSAY_STORE_LEAF_PAGES_H

#include "store/block.h"

struct leaf_pages {
	int fd;
	uint32_t page_bytes, page_count;
};

struct leaf_block {
	int64_t id;
	struct block_header header;
	uint64_t checksum;
	const void *data;
	size_t size_bytes;
};

/*
 * Calls @visit for each block with the right checksum, and counts the others in *@ret_damaged.
 * Blocks of which a part is missing are left out. Stops if @visit returns a negative errno. Returns
 * 0 or a negative errno.
 */
typedef int (*leaf_visit_fn)(void *context, const struct leaf_block *block);
int leaf_pages_each_block(const struct leaf_pages *pages, leaf_visit_fn visit, void *context,
			  uint64_t *ret_damaged);

#endif
