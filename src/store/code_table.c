/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/code_table.h"

#include "store/block_table.h"
#include "store/code_block.h"
#include "store/recording-private.h"

#define CODE_BLOCKS_MAX 16	/* limit on blocks to search; a recorder writes only one */

#define HOT_FUNCTIONS							\
	"WITH busy AS (SELECT event, function, sum(samples) AS samples FROM hit"	\
	" WHERE context <> (SELECT id FROM context WHERE name = 'idle')"	\
	" GROUP BY event, function),"					\
	" total AS (SELECT event, sum(samples) AS samples FROM busy GROUP BY event)"	\
	" SELECT function FROM busy JOIN total USING (event)"		\
	" WHERE function > 0 AND busy.samples * ?1 >= total.samples"	\
	" GROUP BY function ORDER BY max(busy.samples) DESC, function"

int recording_hot_functions(struct recording *recording, struct function_ids *ret_ids,
			    struct err *err)
{
	_cleanup_statement_ sqlite3_stmt *select = NULL;
	int code;

	if (sqlite3_prepare_v2(recording->db, HOT_FUNCTIONS, -1, &select, NULL) != SQLITE_OK)
		return statement_err(recording->db, recording->path, "read", err);
	(void)sqlite3_bind_int(select, 1, CODE_KEPT_SHARE);
	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		uint32_t *id = vec_push(&ret_ids->list);

		if (!id)
			return err_sys(err, -ENOMEM, "%s", recording->path);
		*id = (uint32_t)sqlite3_column_int64(select, 0);
	}
	return code == SQLITE_DONE ? 0 : statement_err(recording->db, recording->path, "read", err);
}

static int write_codes(struct recording *recording, const struct code_list *codes, struct err *err)
{
	const struct block_header header = {
		.kind = BLOCK_CODE,
		.first = 1,
		.count = (uint32_t)codes->list.count,
	};
	int rc = code_block_encode(&recording->codec, codes);

	if (rc < 0)
		return err_sys(err, rc, "%s", recording->path);
	rc = recording_write_block(recording, &header, err);
	if (rc < 0 || !recording->complete)
		return rc;
	return recording_seal(recording, SEAL_BIT(SEAL_BLOCK), err);
}

int recording_keep_code(struct recording *recording, const struct code_list *codes, struct err *err)
{
	int rc;

	if (!codes->list.count)
		return 0;
	rc = recording_begin(recording, err);
	if (rc < 0)
		return rc;
	return recording_end(recording, write_codes(recording, codes, err), err);
}

/* ---- reading ---- */

static int copy(const struct code_entry *entry, const struct function *function,
		struct code *ret_code)
{
	uint8_t *bytes = malloc((size_t)entry->size_bytes);

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, entry->bytes, (size_t)entry->size_bytes);
	*ret_code = (struct code){
		.image = function->image,
		.machine = entry->machine,
		.vaddr = function->vaddr,
		.bytes = bytes,
		.size_bytes = (size_t)entry->size_bytes,
	};
	return 1;
}

/*
 * If block @id has the code of @function, copies the code to *@ret_code and returns 1. Otherwise
 * returns 0 or a negative errno.
 */
static int find_in_block(struct block_reader *reader, sqlite3_int64 id,
			 const struct function *function, struct code *ret_code)
{
	struct block_header header;
	struct code_cursor cursor = { 0 };
	struct code_entry entry;
	int rc = block_reader_read(reader, id, BLOCK_CODE, &header);

	if (rc < 0)
		return rc;
	while ((rc = code_block_next(&reader->codec, &cursor, &entry)) > 0)
		if (entry.image == function->image && entry.vaddr == function->vaddr &&
		    entry.size_bytes == function->size_bytes && entry.size_bytes > 0)
			return copy(&entry, function, ret_code);
	return rc;
}

/* Searches the blocks for the code of @function. Skips damaged blocks. */
static int find_code(struct recording *recording, const struct function *function,
		     struct code *ret_code)
{
	_cleanup_(block_list_fini) struct block_list blocks = { 0 };
	_cleanup_(block_reader_fini) struct block_reader reader = { 0 };
	int rc = block_list_read(recording->db, BLOCK_CODE, 0, &blocks);

	if (rc < 0)
		return rc;
	rc = block_reader_init(&reader, recording->db);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < blocks.ids.count && i < CODE_BLOCKS_MAX; i++) {
		rc = find_in_block(&reader, blocks.ids.at[i], function, ret_code);
		if (rc != 0 && rc != -EBADMSG)
			return rc;
	}
	return 0;
}

int recording_read_code(struct recording *recording, const struct function *function,
			struct code *ret_code, struct err *err)
{
	int rc = recording_begin_reading(recording, err);

	if (rc < 0)
		return rc;
	rc = find_code(recording, function, ret_code);
	if (rc == -ENOMEM)
		return err_sys(err, rc, "%s", recording->path);
	return rc < 0 ? statement_err(recording->db, recording->path, "read", err) : rc;
}
