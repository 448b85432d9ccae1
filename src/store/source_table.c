/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/source_table.h"

#include "base/cleanup.h"
#include "store/block_table.h"
#include "store/recording-private.h"
#include "store/source_block.h"

static int write_sources(struct recording *recording, const struct model *model,
			 const struct source_list *sources, struct err *err)
{
	struct block_header header = { .kind = BLOCK_SOURCE, .first = 1 };
	int rc;

	if (statement_exec(recording->db, "DELETE FROM block WHERE kind = 'source'") != SQLITE_OK)
		return statement_err(recording->db, recording->path, "write", err);
	rc = source_block_encode(&recording->codec, model, sources, &header.count);
	if (rc < 0)
		return err_sys(err, rc, "%s", recording->path);
	rc = header.count ? recording_write_block(recording, &header, err) : 0;
	if (rc < 0 || !recording->complete)
		return rc;
	return recording_seal(recording, SEAL_BIT(SEAL_BLOCK), err);
}

int recording_keep_sources(struct recording *recording, const struct model *model,
			   const struct source_list *sources, struct err *err)
{
	int rc = recording_begin(recording, err);

	if (rc < 0)
		return rc;
	return recording_end(recording, write_sources(recording, model, sources, err), err);
}

/* ---- reading ---- */

static int add_source(const struct source_entry *entry, struct model *model,
		      struct source_list *sources)
{
	_cleanup_free_ char *path = strndup(entry->path, entry->path_size_bytes);
	_cleanup_free_ char *bytes = malloc(entry->size_bytes + 1);
	struct source_text *text = path && bytes ? vec_push(&sources->list) : NULL;

	if (!text)
		return -ENOMEM;
	memcpy(bytes, entry->bytes, entry->size_bytes);
	text->file = model_intern(model, path);
	text->bytes = TAKE_PTR(bytes);
	text->size_bytes = entry->size_bytes;
	text->mtime_ns = entry->mtime_ns;
	text->kept = true;
	return source_index(text);
}

static int add_sources(struct block_codec *codec, struct model *model, struct source_list *sources)
{
	struct source_cursor cursor = { 0 };
	struct source_entry entry;
	int rc;

	while ((rc = source_block_next(codec, &cursor, &entry)) > 0) {
		rc = add_source(&entry, model, sources);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int read_block(struct recording *recording, sqlite3_int64 id, struct model *model,
		      struct source_list *sources)
{
	_cleanup_(block_reader_fini) struct block_reader reader = { 0 };
	struct block_header header;
	int rc = block_reader_init(&reader, recording->db);

	if (rc < 0)
		return rc;
	rc = block_reader_read(&reader, id, BLOCK_SOURCE, &header);
	if (rc < 0)
		return rc;
	return add_sources(&reader.codec, model, sources);
}

/* Reads the block of sources if there is one. A damaged block is left out. */
static int read_kept(struct recording *recording, struct model *model, struct source_list *sources)
{
	_cleanup_(block_list_fini) struct block_list blocks = { 0 };
	int rc = block_list_read(recording->db, BLOCK_SOURCE, 0, &blocks);

	if (rc < 0 || !blocks.ids.count)
		return rc;
	/* a recorder writes only one such block */
	rc = read_block(recording, blocks.ids.at[0], model, sources);
	return rc == -EBADMSG ? 0 : rc;
}

int recording_read_sources(struct recording *recording, struct model *model,
			   struct source_list *sources, struct err *err)
{
	int rc = recording_begin_reading(recording, err);

	if (rc < 0)
		return rc;
	rc = read_kept(recording, model, sources);
	if (rc == -ENOMEM)
		return err_sys(err, rc, "%s", recording->path);
	return rc < 0 ? statement_err(recording->db, recording->path, "read", err) : 0;
}
