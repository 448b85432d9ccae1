/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/block_table.h"

#include "base/cleanup.h"

/* ---- lists ---- */

/*
 * Limits the number of rows that a query returns. A row takes at least 16 bytes in the file. If a
 * query returned more rows than fit in the file, the file's pages would refer to each other in a
 * cycle, and the query would never end. The limit applies both to the list of ids and to the rows
 * that SQLite sorts.
 */
#define AS_MANY_AS_FIT                                                                  \
	" LIMIT (SELECT page_count * page_size / 16 FROM pragma_page_count,"           \
	" pragma_page_size)"

void block_list_fini(struct block_list *list)
{
	vec_free(&list->ids);
}

/* Collects the ids that @select returns. */
static int collect_rows(sqlite3_stmt *select, struct block_list *list)
{
	int code;

	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		sqlite3_int64 *id = vec_push(&list->ids);

		if (!id)
			return -ENOMEM;
		*id = sqlite3_column_int64(select, 0);
	}
	return code == SQLITE_DONE ? 0 : -EIO;
}

/* Lists the ids that @select returns, and finalizes @select. */
static int list_rows(sqlite3_stmt *select, struct block_list *ret_list)
{
	struct block_list list = { 0 };
	int rc = collect_rows(select, &list);

	(void)sqlite3_finalize(select);
	if (rc < 0)
		block_list_fini(&list);
	else
		*ret_list = list;
	return rc;
}

int block_list_read(sqlite3 *db, enum block_kind kind, sqlite3_int64 after_id,
		    struct block_list *ret_list)
{
	sqlite3_stmt *select = NULL;

	if (sqlite3_prepare_v2(db,
			       "SELECT id FROM main.block WHERE kind = ?1 AND id > ?2"
			       " ORDER BY id" AS_MANY_AS_FIT,
			       -1, &select, NULL) != SQLITE_OK)
		return -EIO;
	(void)sqlite3_bind_text(select, 1, block_kind_name(kind), -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(select, 2, after_id);
	return list_rows(select, ret_list);
}

int block_list_read_range(sqlite3 *db, uint64_t from_ns, uint64_t to_ns,
			  struct block_list *ret_list)
{
	sqlite3_stmt *select = NULL;

	if (sqlite3_prepare_v2(db,
			       "WITH wanted AS MATERIALIZED (SELECT id, time_min_ns"
			       " FROM main.block WHERE kind = 'sample' AND time_max_ns >= ?1"
			       " AND time_min_ns < ?2" AS_MANY_AS_FIT ")"
			       " SELECT id FROM wanted ORDER BY time_min_ns, id",
			       -1, &select, NULL) != SQLITE_OK)
		return -EIO;
	(void)sqlite3_bind_int64(select, 1,
				 from_ns > INT64_MAX ? INT64_MAX : (sqlite3_int64)from_ns);
	(void)sqlite3_bind_int64(select, 2, to_ns > INT64_MAX ? INT64_MAX : (sqlite3_int64)to_ns);
	return list_rows(select, ret_list);
}

/* ---- one block ---- */

int block_reader_init(struct block_reader *reader, sqlite3 *db)
{
	*reader = (struct block_reader){ 0 };
	if (sqlite3_prepare_v2(db,
			       "SELECT first, count, time_min_ns, time_max_ns, checksum, data"
			       " FROM main.block WHERE id = ?1",
			       -1, &reader->select, NULL) != SQLITE_OK)
		return -EIO;
	return 0;
}

void block_reader_fini(struct block_reader *reader)
{
	(void)sqlite3_finalize(TAKE_PTR(reader->select));
	block_codec_fini(&reader->codec);
}

static int read_row(struct block_reader *reader, struct block_header *header)
{
	sqlite3_stmt *select = reader->select;
	sqlite3_int64 count = sqlite3_column_int64(select, 1);
	const void *bytes = sqlite3_column_blob(select, 5);
	size_t size_bytes = (size_t)sqlite3_column_bytes(select, 5);

	reader->size_bytes = size_bytes;
	header->first = (uint64_t)sqlite3_column_int64(select, 0);
	header->time_min_ns = (uint64_t)sqlite3_column_int64(select, 2);
	header->time_max_ns = (uint64_t)sqlite3_column_int64(select, 3);
	if (count < 0 || count > BLOCK_COUNT_MAX)
		return -EBADMSG;
	header->count = (uint32_t)count;
	if (!bytes ||
	    (uint64_t)sqlite3_column_int64(select, 4) != block_checksum(header, bytes, size_bytes))
		return -EBADMSG;
	return block_unpack(&reader->codec, bytes, size_bytes, header->count);
}

int block_reader_read(struct block_reader *reader, sqlite3_int64 id, enum block_kind kind,
		      struct block_header *ret_header)
{
	int code, rc;

	*ret_header = (struct block_header){ .kind = kind };
	reader->size_bytes = 0;
	(void)sqlite3_bind_int64(reader->select, 1, id);
	code = sqlite3_step(reader->select);
	if (code == SQLITE_ROW)
		rc = read_row(reader, ret_header);
	else if ((code & 0xff) == SQLITE_DONE || (code & 0xff) == SQLITE_CORRUPT)
		rc = -EBADMSG;
	else
		rc = (code & 0xff) == SQLITE_NOMEM ? -ENOMEM : -EIO;
	(void)sqlite3_reset(reader->select);
	return rc;
}
