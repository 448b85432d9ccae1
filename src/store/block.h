/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h - column blocks: how bulk data lies in the file
 *
 * A block holds up to BLOCK_COUNT_MAX entries as columns of unsigned 64-bit values.  What the
 * values of a column mean is the business of sample_block.h and dictionary_block.h, which
 * predict each value and leave only what was not predicted; here the columns become bytes.
 *
 * The bytes of a block, all numbers LEB128:
 *	parameter count, parameters	(constants of the block)
 *	column count
 *	for each column
 *		least value
 *		width: how many bytes the largest (value - least) takes, 0 to 8
 *		for each byte of the width, least significant first, a plane:
 *			size; that many bytes of zstd, or, when size is 0, the plane as it is
 *	text size; when it is not 0, size and bytes as for a plane
 * A plane holds one byte of each entry.  Planes instead of varints because the low bytes of
 * most columns are noise and the high ones nearly constant: kept apart each compresses to what
 * it is worth, and decoding has no branch per value.
 *
 * The checksum is XXH3 (64 bits) of these bytes, seeded with XXH3 of the block's own row, so
 * that neither a changed byte nor an exchanged row goes unnoticed.
 *
 * Decoding trusts nothing: counts are limited before memory is asked for, a plane must
 * decompress to exactly its size, and what is left over is an error.
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
	BLOCK_KIND_COUNT
};

/* The row that carries a block: what can be known without decoding it. */
struct block_header {
	enum block_kind kind;
	uint64_t first;		/* id (ordinal, for samples) of the first entry */
	uint32_t count;
	uint64_t time_min_ns;	/* samples only */
	uint64_t time_max_ns;
};

struct byte_vec {
	uint8_t *at;
	size_t count, capacity;
};

/* Working memory for one block at a time; reused for the next. */
struct block_codec {
	uint32_t count;			/* entries */
	uint32_t column_count;
	VEC(uint64_t) parameters;
	VEC(uint64_t) values;		/* column after column */
	struct byte_vec text;		/* strings of the entries, NUL-terminated; at most
					   BLOCK_TEXT_MAX bytes */
	struct byte_vec plane;
	struct byte_vec packed;		/* result of block_pack() */
	void *compressor, *decompressor;
};

/* "sample", "stack", ...: as the table spells it. */
const char *block_kind_name(enum block_kind kind);

/* Begins a block of zeroed values without parameters and text. 0 or -ENOMEM. */
int block_begin(struct block_codec *codec, uint32_t count, uint32_t column_count);

static inline uint64_t *block_column(struct block_codec *codec, uint32_t column)
{
	return codec->values.at + (size_t)column * codec->count;
}

/* Turns the values into codec->packed. 0 or -ENOMEM. */
int block_pack(struct block_codec *codec);

/*
 * The inverse, for a block that must hold @count entries. -EBADMSG when the bytes are not what
 * block_pack() makes, -ENOMEM.
 */
int block_unpack(struct block_codec *codec, const void *bytes, size_t size_bytes, uint32_t count);

uint64_t block_checksum(const struct block_header *header, const void *bytes, size_t size_bytes);

void block_codec_fini(struct block_codec *codec);

/* Signed differences as unsigned values, small for small: 0, -1, 1, -2, ... */
static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ -(value & 1);
}

#endif
