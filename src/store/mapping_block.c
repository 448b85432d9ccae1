/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/mapping_block.h"

enum {
	COLUMN_PROCESS,
	COLUMN_IMAGE,
	COLUMN_PAGE,
	COLUMN_IN_PAGE,
	COLUMN_SIZE,
	COLUMN_VADDR,
	COLUMN_TIME,
	COLUMN_COUNT
};

#define SLOT_COUNT 256

/* What is alike in all mappings of an image. */
struct part {
	uint64_t size_bytes, vaddr;
};

int mapping_block_encode(struct block_codec *codec, const struct block_header *header,
			 const struct mapping *rows)
{
	struct part parts[SLOT_COUNT] = { 0 };
	struct mapping last = { 0 };

	if (block_begin(codec, header->count, COLUMN_COUNT) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < header->count; i++) {
		struct mapping mapping = rows[header->first + i];
		struct part *known = &parts[mapping.image % SLOT_COUNT];
		const struct part part = {
			.size_bytes = mapping.end_addr - mapping.start_addr,
			.vaddr = mapping.start_addr - mapping.bias,
		};
		const uint64_t differences[] = {
			[COLUMN_PROCESS] = (uint64_t)mapping.process - last.process,
			[COLUMN_IMAGE] = (uint64_t)mapping.image - last.image,
			[COLUMN_PAGE] = mapping.start_addr / MAPPING_PAGE_BYTES -
					last.start_addr / MAPPING_PAGE_BYTES,
			[COLUMN_IN_PAGE] = mapping.start_addr % MAPPING_PAGE_BYTES,
			[COLUMN_SIZE] = part.size_bytes - known->size_bytes,
			[COLUMN_VADDR] = part.vaddr - known->vaddr,
			[COLUMN_TIME] = mapping.time_ns - last.time_ns,
		};

		for (uint32_t column = 0; column < COLUMN_COUNT; column++)
			block_column(codec, column)[i] = zigzag(differences[column]);
		last = mapping;
		*known = part;
	}
	return 0;
}

int mapping_block_decode(struct block_codec *codec, const struct block_header *header,
			 struct mapping *rows)
{
	struct part parts[SLOT_COUNT] = { 0 };
	uint64_t process = 0, image = 0, page = 0, time_ns = 0;

	if (codec->column_count != COLUMN_COUNT)
		return -EBADMSG;
	for (uint32_t i = 0; i < header->count; i++) {
		uint64_t value[COLUMN_COUNT], start_addr;
		struct part *part;

		for (uint32_t column = 0; column < COLUMN_COUNT; column++)
			value[column] = unzigzag(block_column(codec, column)[i]);
		process += value[COLUMN_PROCESS];
		image += value[COLUMN_IMAGE];
		page += value[COLUMN_PAGE];
		time_ns += value[COLUMN_TIME];
		if (process > UINT32_MAX || image > UINT32_MAX)
			return -EBADMSG;
		start_addr = page * MAPPING_PAGE_BYTES + value[COLUMN_IN_PAGE];
		part = &parts[image % SLOT_COUNT];
		part->size_bytes += value[COLUMN_SIZE];
		part->vaddr += value[COLUMN_VADDR];
		rows[i] = (struct mapping){
			.process = (uint32_t)process,
			.image = (uint32_t)image,
			.start_addr = start_addr,
			.end_addr = start_addr + part->size_bytes,
			.bias = start_addr - part->vaddr,
			.time_ns = time_ns,
		};
	}
	return 0;
}
