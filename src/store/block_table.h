/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_table.h - reading blocks back out of the block table
 *
 * Shared by the program and the extension.  A block is handed out only when its row makes
 * sense and its checksum agrees; what does not is the caller's to count.
 */
#ifndef ASSAY_STORE_BLOCK_TABLE_H
#define ASSAY_STORE_BLOCK_TABLE_H

#include "store/block.h"
#include "store/sqlite.h"

/* Rows of the block table in the order in which they are to be read. */
struct block_list {
	VEC(sqlite3_int64) ids;
};

/* 0, -ENOMEM, or -EIO when SQLite failed: then ask it why. */
int block_list_read(sqlite3 *db, enum block_kind kind, sqlite3_int64 after_id,
		    struct block_list *ret_list);

/* Sample blocks that touch [@from_ns, @to_ns), by their start. */
int block_list_read_range(sqlite3 *db, uint64_t from_ns, uint64_t to_ns,
			  struct block_list *ret_list);
void block_list_fini(struct block_list *list);

/* One open cursor on the table: statement and working memory for the blocks it reads. */
struct block_reader {
	sqlite3_stmt *select;
	struct block_codec codec;
	size_t size_bytes;		/* of the last block as it is stored */
};

int block_reader_init(struct block_reader *reader, sqlite3 *db);
void block_reader_fini(struct block_reader *reader);

/*
 * Reads and unpacks block @id, which is of @kind. 0, -EBADMSG when it is damaged (ret_header is
 * then what the row claims, within limits), -ENOMEM, -EIO.
 */
int block_reader_read(struct block_reader *reader, sqlite3_int64 id, enum block_kind kind,
		      struct block_header *ret_header);

#endif
