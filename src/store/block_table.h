/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_table.h - reads blocks from the block table
 *
 * The program and the SQLite extension share this code. A block is returned only if its row is
 * valid and its checksum matches. The caller counts the blocks that fail these checks.
 */
#ifndef ASSAY_STORE_BLOCK_TABLE_H
#define ASSAY_STORE_BLOCK_TABLE_H

#include "store/block.h"
#include "store/sqlite.h"

/* Row ids of blocks, in the order in which the blocks should be read. */
struct block_list {
	VEC(sqlite3_int64) ids;
};

/*
 * Lists the blocks of @kind whose row id is above @after_id. Returns 0, -ENOMEM, or -EIO if SQLite
 * failed; sqlite3_errmsg() then returns the message.
 */
int block_list_read(sqlite3 *db, enum block_kind kind, sqlite3_int64 after_id,
		    struct block_list *ret_list);

/* Lists the sample blocks that overlap [@from_ns, @to_ns), sorted by their earliest sample. */
int block_list_read_range(sqlite3 *db, uint64_t from_ns, uint64_t to_ns,
			  struct block_list *ret_list);
void block_list_fini(struct block_list *list);

/* A prepared statement on the block table, and working memory for the blocks that it reads. */
struct block_reader {
	sqlite3_stmt *select;
	struct block_codec codec;
	size_t size_bytes;		/* stored size of the last block that was read */
};

int block_reader_init(struct block_reader *reader, sqlite3 *db);
void block_reader_fini(struct block_reader *reader);

/*
 * Reads and unpacks block @id, which must be of @kind. Returns 0, -ENOMEM, -EIO, or -EBADMSG if the
 * block is damaged. With -EBADMSG, *@ret_header still holds the columns of the block's row. They
 * may be wrong, but the count is at most BLOCK_COUNT_MAX.
 */
int block_reader_read(struct block_reader *reader, sqlite3_int64 id, enum block_kind kind,
		      struct block_header *ret_header);

#endif
