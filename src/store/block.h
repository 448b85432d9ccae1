/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h - column blocks: how bulk data is stored in the file
 *
 * A block holds up to BLOCK_COUNT_MAX entries as columns of unsigned 64-bit values. This file
 * converts columns to bytes and back. Each kind of block has a header of its own that defines what
 * the columns mean, such as sample_block.h and dictionary_block.h. Most encoders predict each value
 * and store only the value's difference from the prediction.
 *
 * Layout of a block; all numbers are LEB128:
 *	parameter count, parameters	(constants of the block)
 *	column count
 *	for each column
 *		minimum value
 *		width: bytes needed for the largest (value - minimum), 0 to 8
 *		for each byte of the width, least significant first, a plane:
 *			size, then that many bytes of zstd; size 0 means that the plane
 *			follows uncompressed
 *	text size; if it is not 0, the text, stored like a plane
 * A plane holds one byte of each entry. Planes are used instead of varints because in most columns
 * the low bytes are noise and the high bytes are nearly constant. Each plane compresses as well as
 * its own content allows, and decoding has no branch per value.
 *
 * The checksum is the 64-bit XXH3 of the packed block, seeded with the XXH3 of the block's row in
 * the table. So it detects changed bytes, and also a block that was combined with the row of
 * another block.
 *
 * The decoder does not trust its input: counts are limited before memory is allocated, a plane must
 * decompress to exactly its expected size, and bytes left over at the end are an error.
 */
#ifndef ASSAY_STORE_BLOCK_H
#define ASSAY_STORE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define BLOCK_COUNT_MAX 16384
#define BLOCK_COLUMN_MAX 64
#define BLOCK_PARAMETER_MAX 256
#define BLOCK_TEXT_MAX (UINT32_C(16) << 20)

enum block_kind {
	BLOCK_SAMPLE,
	BLOCK_STACK,
	BLOCK_LOCATION,
	BLOCK_LOCATION_FUNCTION,
	BLOCK_FUNCTION,
	BLOCK_CODE,
	BLOCK_LINE,
	BLOCK_LOCATION_LINE,
	BLOCK_SOURCE,
	BLOCK_MAPPING,
	BLOCK_KIND_COUNT
};

/* The columns of a block's row in the block table, which can be read without decoding the block. */
struct block_header {
	enum block_kind kind;
	/* id of the first entry; for samples, the number of samples in all earlier blocks */
	uint64_t first;
	uint32_t count;
	uint64_t time_min_ns;	/* time range of the samples; set only for sample blocks */
	uint64_t time_max_ns;
};

struct byte_vec {
	uint8_t *at;
	size_t count, capacity;
};

/* Working memory for one block at a time. It is reused for the next block. */
struct block_codec {
	uint32_t count;			/* number of entries */
	uint32_t column_count;
	VEC(uint64_t) parameters;
	VEC(uint64_t) values;		/* all columns, one after the other */
	/*
	 * text of the block, at most BLOCK_TEXT_MAX bytes; its content depends on the kind of the
	 * block
	 */
	struct byte_vec text;
	struct byte_vec plane;
	struct byte_vec packed;		/* result of block_pack() */
	void *compressor, *decompressor;
};

/* Returns the name of the kind in the block table: "sample", "stack", ... */
const char *block_kind_name(enum block_kind kind);

/*
 * Prepares @codec for encoding a block of the given size. All values are zero, and there are no
 * parameters and no text yet. Returns 0 or -ENOMEM.
 */
int block_begin(struct block_codec *codec, uint32_t count, uint32_t column_count);

static inline uint64_t *block_column(struct block_codec *codec, uint32_t column)
{
	return codec->values.at + (size_t)column * codec->count;
}

/* Encodes the values into codec->packed. Returns 0 or -ENOMEM. */
int block_pack(struct block_codec *codec);

/*
 * Decodes a block that must hold @count entries. Returns -EBADMSG if block_pack() cannot have
 * written these bytes, or -ENOMEM.
 */
int block_unpack(struct block_codec *codec, const void *bytes, size_t size_bytes, uint32_t count);

uint64_t block_checksum(const struct block_header *header, const void *bytes, size_t size_bytes);

void block_codec_fini(struct block_codec *codec);

/*
 * Maps signed differences to unsigned values so that small differences stay small: 0, -1, 1, -2,
 * ... become 0, 1, 2, 3, ...
 */
static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ -(value & 1);
}

#endif
