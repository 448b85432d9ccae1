/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/dictionary_block.h"

#define IMAGE_SLOT_COUNT 256
#define BY_ADDRESS 1	/* parameter of location_function */

/* ---- stacks ---- */

/* A root is encoded as its id. For other parents the distance from @id is encoded. */
static uint64_t encode_parent(uint64_t id, uint64_t parent)
{
	return parent < STACK_ROOT_COUNT ? parent : id - parent + STACK_ROOT_COUNT - 1;
}

/*
 * Returns the root or the node id that @code encodes. Returns UINT64_MAX if that would be a node
 * whose id is not below @id.
 */
static uint64_t decode_parent(uint64_t id, uint64_t code)
{
	if (code < STACK_ROOT_COUNT)
		return code;
	code -= STACK_ROOT_COUNT - 1;
	return code <= id && id - code >= STACK_ROOT_COUNT ? id - code : UINT64_MAX;
}

int stack_block_encode(struct block_codec *codec, const struct block_header *header,
		       const struct stack_node *rows)
{
	uint64_t largest = header->count ? rows[header->first].location : 0;

	if (block_begin(codec, header->count, 2) < 0 || !vec_push(&codec->parameters))
		return -ENOMEM;
	codec->parameters.at[0] = largest;
	for (uint32_t i = 0; i < header->count; i++) {
		const struct stack_node *node = &rows[header->first + i];

		block_column(codec, 0)[i] = encode_parent(header->first + i, node->parent);
		block_column(codec, 1)[i] = zigzag(node->location - largest);
		if (node->location > largest)
			largest = node->location;
	}
	return 0;
}

int stack_block_decode(struct block_codec *codec, const struct block_header *header,
		       struct stack_node *rows)
{
	uint64_t largest;

	if (codec->column_count != 2 || codec->parameters.count != 1)
		return -EBADMSG;
	largest = codec->parameters.at[0];
	for (uint32_t i = 0; i < header->count; i++) {
		uint64_t parent = decode_parent(header->first + i, block_column(codec, 0)[i]);
		uint64_t location = largest + unzigzag(block_column(codec, 1)[i]);

		if (parent > UINT32_MAX || location > UINT32_MAX)
			return -EBADMSG;
		rows[i].parent = (uint32_t)parent;
		rows[i].location = (uint32_t)location;
		if (location > largest)
			largest = location;
	}
	return 0;
}

/* ---- locations ---- */

/*
 * For each image in the block, the first of its addresses. Later addresses of the image are stored
 * relative to it. Images whose ids are equal modulo IMAGE_SLOT_COUNT share one address.
 */
struct anchors {
	uint64_t vaddr[IMAGE_SLOT_COUNT];
	bool set[IMAGE_SLOT_COUNT];
};

static uint64_t anchor(struct anchors *anchors, uint64_t image)
{
	return anchors->vaddr[image % IMAGE_SLOT_COUNT];
}

static void set_anchor(struct anchors *anchors, uint64_t image, uint64_t vaddr)
{
	size_t slot = image % IMAGE_SLOT_COUNT;

	if (!anchors->set[slot])
		anchors->vaddr[slot] = vaddr;
	anchors->set[slot] = true;
}

int location_block_encode(struct block_codec *codec, const struct block_header *header,
			  const struct location *rows)
{
	struct anchors anchors = { 0 };
	uint64_t last_image = 0;

	if (block_begin(codec, header->count, 2) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < header->count; i++) {
		const struct location *location = &rows[header->first + i];

		block_column(codec, 0)[i] = zigzag(location->image - last_image);
		block_column(codec,
			     1)[i] = zigzag(location->vaddr - anchor(&anchors, location->image));
		set_anchor(&anchors, location->image, location->vaddr);
		last_image = location->image;
	}
	return 0;
}

int location_block_decode(struct block_codec *codec, const struct block_header *header,
			  struct location *rows)
{
	struct anchors anchors = { 0 };
	uint64_t image = 0;

	if (codec->column_count != 2)
		return -EBADMSG;
	for (uint32_t i = 0; i < header->count; i++) {
		image += unzigzag(block_column(codec, 0)[i]);
		if (image > UINT32_MAX)
			return -EBADMSG;
		rows[i] = (struct location){
			.image = (uint32_t)image,
			.vaddr = anchor(&anchors, image) + unzigzag(block_column(codec, 1)[i]),
		};
		set_anchor(&anchors, image, rows[i].vaddr);
	}
	return 0;
}

int location_function_block_encode(struct block_codec *codec, const struct block_header *header,
				   const struct location *rows, const struct function_index *index)
{
	if (block_begin(codec, header->count, 1) < 0 || !vec_push(&codec->parameters))
		return -ENOMEM;
	codec->parameters.at[0] = BY_ADDRESS;
	for (uint32_t i = 0; i < header->count; i++) {
		const struct location *location = &rows[header->first + i];
		bool is_expected = location->function == function_index_find(index, location);

		block_column(codec, 0)[i] = is_expected ? 0 : (uint64_t)location->function + 1;
	}
	return 0;
}

static int decode_by_address(struct block_codec *codec, const struct block_header *header,
			     struct location *rows, const struct function_index *index)
{
	for (uint32_t i = 0; i < header->count; i++) {
		uint64_t code = block_column(codec, 0)[i];

		if (code > UINT32_MAX)
			return -EBADMSG;
		rows[i].function = code ? (uint32_t)(code - 1)
					: function_index_find(index, &rows[i]);
	}
	return 0;
}

/* Decodes a column of ids that are stored as differences. @set stores the id in a location. */
static int decode_ids(struct block_codec *codec, const struct block_header *header,
		      struct location *rows, void (*set)(struct location *, uint32_t))
{
	uint64_t id = 0;

	for (uint32_t i = 0; i < header->count; i++) {
		id += unzigzag(block_column(codec, 0)[i]);
		if (id > UINT32_MAX)
			return -EBADMSG;
		set(&rows[i], (uint32_t)id);
	}
	return 0;
}

static void set_function(struct location *location, uint32_t function)
{
	location->function = function;
}

int location_function_block_decode(struct block_codec *codec, const struct block_header *header,
				   struct location *rows, const struct function_index *index)
{
	if (codec->column_count != 1)
		return -EBADMSG;
	if (codec->parameters.count == 0)
		return decode_ids(codec, header, rows, set_function);
	if (codec->parameters.count != 1 || codec->parameters.at[0] != BY_ADDRESS)
		return -EBADMSG;
	return decode_by_address(codec, header, rows, index);
}

int location_line_block_encode(struct block_codec *codec, const struct block_header *header,
			       const struct location *rows)
{
	uint64_t last = 0;

	if (block_begin(codec, header->count, 1) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < header->count; i++) {
		uint64_t line = rows[header->first + i].line;

		block_column(codec, 0)[i] = zigzag(line - last);
		last = line;
	}
	return 0;
}

static void set_line(struct location *location, uint32_t line)
{
	location->line = line;
}

int location_line_block_decode(struct block_codec *codec, const struct block_header *header,
			       struct location *rows)
{
	return codec->column_count == 1 ? decode_ids(codec, header, rows, set_line) : -EBADMSG;
}
