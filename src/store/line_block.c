/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/line_block.h"

#include "base/byte_reader.h"
#include "base/cleanup.h"
#include "base/u64map.h"

enum { COLUMN_CALLER, COLUMN_FILE, COLUMN_LINE, COLUMN_FUNCTION, COLUMN_COUNT };

/*
 * Adds up the paths of the lines as if no two lines shared a path. If some do, the block just
 * becomes smaller than computed here.
 */
uint32_t line_block_share(const struct model *model, size_t first)
{
	size_t bytes = 0;
	uint32_t count = 0;

	while (first + count < model->lines.count && count < BLOCK_COUNT_MAX) {
		bytes += strlen(model_string(model, model->lines.at[first + count].file)) + 1;
		if (bytes > BLOCK_TEXT_MAX)
			break;
		count++;
	}
	return count;
}

static int put_path(struct byte_vec *text, const char *path)
{
	size_t size_bytes = strlen(path) + 1;

	if (vec_reserve(text, text->count + size_bytes) < 0)
		return -ENOMEM;
	memcpy(text->at + text->count, path, size_bytes);
	text->count += size_bytes;
	return 0;
}

/*
 * Stores in *ret_number 1 + the index of the path in the block's text, or 0 for no file. A new path
 * is appended to the text.
 */
static int path_number(struct block_codec *codec, const struct model *model, uint32_t file,
		       struct u64map *numbers, uint32_t *count, uint64_t *ret_number)
{
	uint32_t number = 0;

	*ret_number = 0;
	if (!file)
		return 0;
	if (!u64map_get(numbers, file, &number)) {
		number = ++*count;
		if (u64map_put(numbers, file, number) < 0 ||
		    put_path(&codec->text, model_string(model, file)) < 0)
			return -ENOMEM;
	}
	*ret_number = number;
	return 0;
}

int line_block_encode(struct block_codec *codec, const struct block_header *header,
		      const struct model *model)
{
	uint64_t last_line = 0, last_function = 0;
	_cleanup_(u64map_fini) struct u64map numbers = { 0 };
	uint32_t count = 0;
	int rc = block_begin(codec, header->count, COLUMN_COUNT);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < header->count; i++) {
		uint64_t id = header->first + i;
		const struct source_line *line = &model->lines.at[id];

		block_column(codec, COLUMN_CALLER)[i] = line->caller ? id - line->caller : 0;
		rc = path_number(codec, model, line->file, &numbers, &count,
				 &block_column(codec, COLUMN_FILE)[i]);
		if (rc < 0)
			return rc;
		block_column(codec, COLUMN_LINE)[i] = zigzag(line->line - last_line);
		block_column(codec, COLUMN_FUNCTION)[i] = zigzag(line->function - last_function);
		last_line = line->line;
		last_function = line->function;
	}
	return 0;
}

struct offset_vec {
	VEC(uint32_t) list;
};

static void offset_vec_fini(struct offset_vec *offsets)
{
	vec_free(&offsets->list);
}

/*
 * Stores the offset of each path in @offsets, starting with element 1. Element 0 is for lines
 * without a file.
 */
static int read_paths(struct block_codec *codec, size_t base, struct offset_vec *offsets)
{
	struct byte_reader r = byte_reader_of(codec->text.at, codec->text.count);
	uint32_t *offset = vec_push(&offsets->list);

	while (offset && codec->text.count && byte_reader_left(&r)) {
		offset = vec_push(&offsets->list);
		if (offset)
			*offset = (uint32_t)(base + r.at);
		(void)byte_reader_string(&r, NULL);
	}
	return !offset ? -ENOMEM : r.failed ? -EBADMSG : 0;
}

static int decode_rows(struct block_codec *codec, const struct block_header *header,
		       const struct offset_vec *offsets, struct source_line *rows)
{
	uint64_t line = 0, function = 0;

	for (uint32_t i = 0; i < header->count; i++) {
		uint64_t caller = block_column(codec, COLUMN_CALLER)[i];
		uint64_t file = block_column(codec, COLUMN_FILE)[i];

		line += unzigzag(block_column(codec, COLUMN_LINE)[i]);
		function += unzigzag(block_column(codec, COLUMN_FUNCTION)[i]);
		if (line > UINT32_MAX || function > UINT32_MAX || file >= offsets->list.count ||
		    caller >= header->first + i)
			return -EBADMSG;
		rows[i] = (struct source_line){
			.caller = caller ? (uint32_t)(header->first + i - caller) : 0,
			.file = offsets->list.at[file],
			.line = (uint32_t)line,
			.function = (uint32_t)function,
		};
	}
	return 0;
}

int line_block_decode(struct block_codec *codec, const struct block_header *header,
		      struct source_line *rows, struct byte_vec *texts)
{
	size_t base = texts->count;
	_cleanup_(offset_vec_fini) struct offset_vec offsets = { 0 };
	int rc;

	if (codec->column_count != COLUMN_COUNT || base + codec->text.count > UINT32_MAX)
		return -EBADMSG;
	rc = read_paths(codec, base, &offsets);
	if (rc < 0)
		return rc;
	rc = decode_rows(codec, header, &offsets, rows);
	if (rc < 0)
		return rc;
	if (vec_reserve(texts, base + codec->text.count) < 0)
		return -ENOMEM;
	if (codec->text.count)
		memcpy(texts->at + base, codec->text.at, codec->text.count);
	texts->count += codec->text.count;
	return 0;
}
