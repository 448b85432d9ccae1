/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/source_block.h"

enum { COLUMN_PATH_SIZE, COLUMN_SIZE, COLUMN_MTIME, COLUMN_COUNT };

_Static_assert(SOURCES_BYTES_MAX < BLOCK_TEXT_MAX, "what is kept fits one block with its paths");

static int append(struct block_codec *codec, const char *bytes, size_t size_bytes)
{
	size_t end = codec->text.count + size_bytes;

	if (end > BLOCK_TEXT_MAX)
		return -E2BIG;
	if (vec_reserve(&codec->text, end) < 0)
		return -ENOMEM;
	memcpy(codec->text.at + codec->text.count, bytes, size_bytes);
	codec->text.count = end;
	return 0;
}

int source_block_encode(struct block_codec *codec, const struct model *model,
			const struct source_list *sources, uint32_t *ret_count)
{
	uint32_t count = 0, at = 0;
	int rc;

	for (size_t i = 0; i < sources->list.count; i++)
		count += sources->list.at[i].bytes != NULL;
	if (count > SOURCES_MAX)
		return -E2BIG;
	rc = block_begin(codec, count, COLUMN_COUNT);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sources->list.count; i++) {
		const struct source_text *text = &sources->list.at[i];
		const char *path = model_string(model, text->file);

		if (!text->bytes)
			continue;
		block_column(codec, COLUMN_PATH_SIZE)[at] = strlen(path);
		block_column(codec, COLUMN_SIZE)[at] = text->size_bytes;
		block_column(codec, COLUMN_MTIME)[at++] = text->mtime_ns;
		rc = append(codec, path, strlen(path));
		if (rc < 0)
			return rc;
		rc = append(codec, text->bytes, text->size_bytes);
		if (rc < 0)
			return rc;
	}
	*ret_count = count;
	return 0;
}

/*
 * Returns the next @size_bytes of the text in *ret_bytes. Returns false if fewer bytes are left, or
 * if they contain a NUL.
 */
static bool take_text(const struct block_codec *codec, struct source_cursor *cursor,
		      uint64_t size_bytes, const char **ret_bytes)
{
	if (size_bytes > codec->text.count - cursor->at)
		return false;
	*ret_bytes = (const char *)codec->text.at + cursor->at;
	cursor->at += (size_t)size_bytes;
	return memchr(*ret_bytes, '\0', (size_t)size_bytes) == NULL;
}

int source_block_next(struct block_codec *codec, struct source_cursor *cursor,
		      struct source_entry *ret_entry)
{
	uint32_t i = cursor->next;

	if (codec->column_count != COLUMN_COUNT || codec->count > SOURCES_MAX)
		return -EBADMSG;
	if (i == codec->count)
		return cursor->at == codec->text.count ? 0 : -EBADMSG;
	if (codec->text.count == 0)
		return -EBADMSG;
	*ret_entry = (struct source_entry){
		.path_size_bytes = (size_t)block_column(codec, COLUMN_PATH_SIZE)[i],
		.size_bytes = (size_t)block_column(codec, COLUMN_SIZE)[i],
		.mtime_ns = block_column(codec, COLUMN_MTIME)[i],
	};
	if (!take_text(codec, cursor, ret_entry->path_size_bytes, &ret_entry->path) ||
	    !take_text(codec, cursor, ret_entry->size_bytes, &ret_entry->bytes))
		return -EBADMSG;
	cursor->next++;
	return 1;
}
