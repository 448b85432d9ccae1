/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/function_block.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/byte_reader.h"

enum { COLUMN_IMAGE, COLUMN_VADDR, COLUMN_SIZE, COLUMN_QUALITY, COLUMN_COUNT };

/* Separates the two neighbours of a function. */
#define BETWEEN '\x1f'

#define NAME_MORE 32

static size_t text_bytes(const struct model *model, const struct function *function)
{
	return strlen(model_string(model, function->name)) +
	       strlen(model_string(model, function->linkage_name)) +
	       strlen(model_string(model, function->before)) +
	       strlen(model_string(model, function->after)) + 3;
}

uint32_t function_block_share(const struct model *model, size_t first)
{
	size_t bytes = 0;
	uint32_t count = 0;

	while (first + count < model->functions.count && count < BLOCK_COUNT_MAX) {
		bytes += text_bytes(model, &model->functions.at[first + count]);
		if (bytes > BLOCK_TEXT_MAX)
			break;
		count++;
	}
	return count;
}

static int put_string(struct byte_vec *text, const char *string)
{
	size_t size_bytes = strlen(string) + 1;

	if (vec_reserve(text, text->count + size_bytes) < 0)
		return -ENOMEM;
	memcpy(text->at + text->count, string, size_bytes);
	text->count += size_bytes;
	return 0;
}

/* Writes what is in the place of the linkage name. */
static int put_neighbours(struct byte_vec *text, const struct model *model,
			  const struct function *function)
{
	if (put_string(text, model_string(model, function->before)) < 0)
		return -ENOMEM;
	text->at[text->count - 1] = BETWEEN;
	return put_string(text, model_string(model, function->after));
}

static int put_names(struct byte_vec *text, const struct model *model,
		     const struct function *function)
{
	if (put_string(text, model_string(model, function->name)) < 0)
		return -ENOMEM;
	if (function->quality == QUALITY_BRACKET)
		return put_neighbours(text, model, function);
	return put_string(text, model_string(model, function->linkage_name));
}

int function_block_encode(struct block_codec *codec, const struct block_header *header,
			  const struct model *model)
{
	uint64_t last_image = 0, last_end = 0;

	if (block_begin(codec, header->count, COLUMN_COUNT) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < header->count; i++) {
		const struct function *function = &model->functions.at[header->first + i];

		block_column(codec, COLUMN_IMAGE)[i] = zigzag(function->image - last_image);
		block_column(codec, COLUMN_VADDR)[i] = zigzag(function->vaddr - last_end);
		block_column(codec, COLUMN_SIZE)[i] = function->size_bytes;
		block_column(codec, COLUMN_QUALITY)[i] = 2 * (uint64_t)function->quality +
							 function->root;
		last_image = function->image;
		last_end = function->vaddr + function->size_bytes;
		if (put_names(&codec->text, model, function) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int decode_numbers(struct block_codec *codec, const struct block_header *header,
			  struct function *rows)
{
	uint64_t image = 0, end = 0;

	if (codec->column_count != COLUMN_COUNT)
		return -EBADMSG;
	for (uint32_t i = 0; i < header->count; i++) {
		uint64_t quality = block_column(codec, COLUMN_QUALITY)[i];

		image += unzigzag(block_column(codec, COLUMN_IMAGE)[i]);
		if (image > UINT32_MAX || quality / 2 >= QUALITY_COUNT)
			return -EBADMSG;
		rows[i] = (struct function){
			.image = (uint32_t)image,
			.quality = (enum quality)(quality / 2),
			.root = quality % 2 != 0,
			.vaddr = end + unzigzag(block_column(codec, COLUMN_VADDR)[i]),
			.size_bytes = block_column(codec, COLUMN_SIZE)[i],
		};
		end = rows[i].vaddr + rows[i].size_bytes;
	}
	return 0;
}

/*
 * Skips the next string of @r. Returns the offset that this string will have after the caller has
 * appended all bytes of @r to a text of @base bytes.
 */
static uint32_t next_offset(struct byte_reader *r, size_t base)
{
	uint32_t offset = (uint32_t)(base + r->at);

	(void)byte_reader_string(r, NULL);
	return offset;
}

/* Finds the two neighbours of a function in the place of its linkage name. */
static void take_neighbours(struct function *function, struct byte_vec *texts)
{
	char *before = (char *)texts->at + function->linkage_name, *end = strchr(before, BETWEEN);

	if (!end)
		return;
	*end = '\0';
	function->before = function->linkage_name;
	function->after = function->linkage_name + (uint32_t)(end - before) + 1;
	function->linkage_name = 0;
}

static char *find_arrow(char *name)
{
	static const char not_an_arrow[] = "operator->";
	size_t skip = sizeof(not_an_arrow) - 1 - strlen("->");
	char *arrow = strstr(name, "->");

	while (arrow && arrow >= name + skip &&
	       strncmp(arrow - skip, not_an_arrow, sizeof(not_an_arrow) - 1) == 0)
		arrow = strstr(arrow + 1, "->");
	return arrow;
}

/*
 * Older recordings have the neighbours in the name: "a->b:401a30", or "a->b" if the bounds are
 * unknown. "[start]" and "[end]" stand for a missing neighbour. Gives such a function the name that
 * it gets today. Returns 0 or -ENOMEM.
 */
static int rename_older(struct function *function, struct byte_vec *texts)
{
	char text[NAME_MORE], *name = (char *)texts->at + function->name, *arrow = find_arrow(name);
	char *colon = arrow ? strrchr(arrow, ':') : NULL;
	size_t size_bytes;
	bool bounds;

	if (!arrow)
		return 0;
	(void)snprintf(text, sizeof(text), ":%" PRIx64, function->vaddr);
	bounds = colon && strcmp(colon, text) == 0;
	if (bounds)
		*colon = '\0';
	*arrow = '\0';
	function->before = strcmp(name, "[start]") == 0 ? 0 : function->name;
	function->after = strcmp(arrow + 2, "[end]") == 0
				  ? 0
				  : function->name + (uint32_t)(arrow + 2 - name);
	(void)snprintf(text, sizeof(text), "%s_%" PRIx64, bounds ? "fn" : "gap", function->vaddr);
	size_bytes = strlen(text) + 1;
	if (vec_reserve(texts, texts->count + size_bytes) < 0)
		return -ENOMEM;
	function->name = (uint32_t)texts->count;
	memcpy(texts->at + texts->count, text, size_bytes);
	texts->count += size_bytes;
	return 0;
}

static int settle_names(struct function *rows, uint32_t count, struct byte_vec *texts)
{
	for (uint32_t i = 0; i < count; i++) {
		int rc = 0;

		if (rows[i].quality != QUALITY_BRACKET)
			continue;
		take_neighbours(&rows[i], texts);
		if (!rows[i].before && !rows[i].after)
			rc = rename_older(&rows[i], texts);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int function_block_decode(struct block_codec *codec, const struct block_header *header,
			  struct function *rows, struct byte_vec *texts)
{
	struct byte_reader r = byte_reader_of(codec->text.at, codec->text.count);
	size_t base = texts->count;
	int rc = decode_numbers(codec, header, rows);

	if (rc < 0)
		return rc;
	if (codec->text.count == 0)
		return header->count ? -EBADMSG : 0;
	/* The names of older recordings may need NAME_MORE bytes each. */
	if (base + codec->text.count + (uint64_t)header->count * NAME_MORE > UINT32_MAX)
		return -EBADMSG;
	for (uint32_t i = 0; i < header->count; i++) {
		rows[i].name = next_offset(&r, base);
		rows[i].linkage_name = next_offset(&r, base);
	}
	if (r.failed || byte_reader_left(&r))
		return -EBADMSG;
	if (vec_reserve(texts, base + codec->text.count) < 0)
		return -ENOMEM;
	memcpy(texts->at + base, codec->text.at, codec->text.count);
	texts->count += codec->text.count;
	return settle_names(rows, header->count, texts);
}
