/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/block.h"

#include <xxhash.h>
#include <zstd.h>

#include "base/byte_reader.h"
#include "base/cleanup.h"

#define COMPRESSION_LEVEL 3
#define TEXT_LEVEL 6	/* names are written once, at the end: 8 % less than with level 3 */
#define NUMBER_BYTES_MAX 10

const char *block_kind_name(enum block_kind kind)
{
	static const char *const names[BLOCK_KIND_COUNT] = {
		[BLOCK_SAMPLE] = "sample",
		[BLOCK_STACK] = "stack",
		[BLOCK_LOCATION] = "location",
		[BLOCK_LOCATION_FUNCTION] = "location_function",
		[BLOCK_FUNCTION] = "function",
		[BLOCK_CODE] = "code",
		[BLOCK_LINE] = "line",
		[BLOCK_LOCATION_LINE] = "location_line",
		[BLOCK_SOURCE] = "source",
		[BLOCK_MAPPING] = "mapping",
	};

	return (unsigned int)kind < BLOCK_KIND_COUNT ? names[kind] : "?";
}

void block_codec_fini(struct block_codec *codec)
{
	vec_free(&codec->parameters);
	vec_free(&codec->values);
	vec_free(&codec->text);
	vec_free(&codec->plane);
	vec_free(&codec->packed);
	(void)ZSTD_freeCCtx(TAKE_PTR(codec->compressor));
	(void)ZSTD_freeDCtx(TAKE_PTR(codec->decompressor));
}

static int size_block(struct block_codec *codec, uint32_t count, uint32_t column_count)
{
	size_t values = (size_t)count * column_count;

	if (vec_reserve(&codec->values, values) < 0 || vec_reserve(&codec->plane, count) < 0)
		return -ENOMEM;
	codec->values.count = values;
	codec->count = count;
	codec->column_count = column_count;
	vec_clear(&codec->parameters);
	vec_clear(&codec->text);
	return 0;
}

int block_begin(struct block_codec *codec, uint32_t count, uint32_t column_count)
{
	if (size_block(codec, count, column_count) < 0)
		return -ENOMEM;
	if (codec->values.count)
		memset(codec->values.at, 0, codec->values.count * sizeof(*codec->values.at));
	return 0;
}

/* ---- packing ---- */

static int put_number(struct byte_vec *bytes, uint64_t value)
{
	if (vec_reserve(bytes, bytes->count + NUMBER_BYTES_MAX) < 0)
		return -ENOMEM;
	for (; value >= 0x80; value >>= 7)
		bytes->at[bytes->count++] = (uint8_t)(value | 0x80);
	bytes->at[bytes->count++] = (uint8_t)value;
	return 0;
}

/*
 * Writes the size and the compressed bytes, or 0 and the uncompressed bytes if compression does not
 * make them smaller.
 */
static int put_bytes(struct block_codec *codec, const uint8_t *bytes, size_t count, int level)
{
	struct byte_vec *packed = &codec->packed;
	size_t bound = ZSTD_compressBound(count);
	size_t size_bytes, compressed_at;

	if (vec_reserve(packed, packed->count + bound + NUMBER_BYTES_MAX) < 0)
		return -ENOMEM;
	/*
	 * The size goes in front of the compressed bytes but is not known yet, so leave space for
	 * it.
	 */
	compressed_at = packed->count + NUMBER_BYTES_MAX;
	size_bytes = ZSTD_compressCCtx(codec->compressor, packed->at + compressed_at, bound, bytes,
				       count, level);
	if (ZSTD_isError(size_bytes) || size_bytes >= count) {
		packed->at[packed->count++] = 0;
		memcpy(packed->at + packed->count, bytes, count);
		packed->count += count;
		return 0;
	}
	(void)put_number(packed, size_bytes);
	memmove(packed->at + packed->count, packed->at + compressed_at, size_bytes);
	packed->count += size_bytes;
	return 0;
}

static int pack_column(struct block_codec *codec, const uint64_t *values)
{
	uint64_t least = codec->count ? values[0] : 0, all = 0;
	unsigned int width = 0;
	int rc;

	for (uint32_t i = 1; i < codec->count; i++)
		if (values[i] < least)
			least = values[i];
	for (uint32_t i = 0; i < codec->count; i++)
		all |= values[i] - least;
	while (width < 8 && all >> (8 * width))
		width++;
	rc = put_number(&codec->packed, least);
	if (rc < 0)
		return rc;
	rc = put_number(&codec->packed, width);
	if (rc < 0)
		return rc;
	for (unsigned int byte = 0; byte < width; byte++) {
		for (uint32_t i = 0; i < codec->count; i++)
			codec->plane.at[i] = (uint8_t)((values[i] - least) >> (8 * byte));
		rc = put_bytes(codec, codec->plane.at, codec->count, COMPRESSION_LEVEL);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int block_pack(struct block_codec *codec)
{
	int rc;

	if (!codec->compressor)
		codec->compressor = ZSTD_createCCtx();
	if (!codec->compressor)
		return -ENOMEM;
	vec_clear(&codec->packed);
	rc = put_number(&codec->packed, codec->parameters.count);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < codec->parameters.count; i++) {
		rc = put_number(&codec->packed, codec->parameters.at[i]);
		if (rc < 0)
			return rc;
	}
	rc = put_number(&codec->packed, codec->column_count);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < codec->column_count; i++) {
		rc = pack_column(codec, block_column(codec, i));
		if (rc < 0)
			return rc;
	}
	rc = put_number(&codec->packed, codec->text.count);
	if (rc < 0 || !codec->text.count)
		return rc;
	return put_bytes(codec, codec->text.at, codec->text.count, TEXT_LEVEL);
}

/* ---- unpacking ---- */

/*
 * Reads data that put_bytes() wrote. @count is its uncompressed size. If the data was stored
 * uncompressed, returns a pointer into the input. Otherwise decompresses it into @room, a buffer of
 * @count bytes, and returns @room. Returns NULL if the data is damaged.
 */
static const uint8_t *get_bytes(struct block_codec *codec, struct byte_reader *r, uint8_t *room,
				size_t count)
{
	uint64_t size_bytes = byte_reader_uleb(r);
	const void *stored;

	if (size_bytes == 0)
		return byte_reader_bytes(r, count);
	stored = byte_reader_bytes(r, size_bytes);
	if (!stored ||
	    ZSTD_decompressDCtx(codec->decompressor, room, count, stored, size_bytes) != count)
		return NULL;
	return room;
}

/* In these loops, `restrict` lets the compiler handle several values at a time. */
static void fill_column(uint64_t *values, uint64_t least, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = least;
}

static void put_first_plane(uint64_t *restrict values, uint64_t least,
			    const uint8_t *restrict plane, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = least + plane[i];
}

static void add_plane(uint64_t *restrict values, const uint8_t *restrict plane, uint32_t count,
		      unsigned int shift)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] += (uint64_t)plane[i] << shift;
}

static int unpack_column(struct block_codec *codec, struct byte_reader *r, uint64_t *values)
{
	uint64_t least = byte_reader_uleb(r), width = byte_reader_uleb(r);

	if (r->failed || width > 8)
		return -EBADMSG;
	if (!width)
		fill_column(values, least, codec->count);
	for (unsigned int byte = 0; byte < width; byte++) {
		const uint8_t *plane = get_bytes(codec, r, codec->plane.at, codec->count);

		if (!plane)
			return -EBADMSG;
		if (byte == 0)
			put_first_plane(values, least, plane, codec->count);
		else
			add_plane(values, plane, codec->count, 8 * byte);
	}
	return 0;
}

static int unpack_parameters(struct block_codec *codec, struct byte_reader *r, uint64_t count)
{
	if (count > BLOCK_PARAMETER_MAX)
		return -EBADMSG;
	if (vec_reserve(&codec->parameters, count) < 0)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++)
		codec->parameters.at[i] = byte_reader_uleb(r);
	codec->parameters.count = count;
	return 0;
}

static int unpack_text(struct block_codec *codec, struct byte_reader *r)
{
	uint64_t count = byte_reader_uleb(r);
	const uint8_t *text;

	if (count > BLOCK_TEXT_MAX)
		return -EBADMSG;
	if (count == 0)
		return 0;
	if (vec_reserve(&codec->text, count) < 0)
		return -ENOMEM;
	text = get_bytes(codec, r, codec->text.at, count);
	if (!text)
		return -EBADMSG;
	if (text != codec->text.at)
		memcpy(codec->text.at, text, count);
	codec->text.count = count;
	return 0;
}

static int unpack_columns(struct block_codec *codec, struct byte_reader *r)
{
	for (uint32_t i = 0; i < codec->column_count; i++) {
		int rc = unpack_column(codec, r, block_column(codec, i));

		if (rc < 0)
			return rc;
	}
	return 0;
}

int block_unpack(struct block_codec *codec, const void *bytes, size_t size_bytes, uint32_t count)
{
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	uint64_t parameter_count, column_count;
	int rc;

	if (!codec->decompressor)
		codec->decompressor = ZSTD_createDCtx();
	if (!codec->decompressor)
		return -ENOMEM;
	if (count > BLOCK_COUNT_MAX)
		return -EBADMSG;
	parameter_count = byte_reader_uleb(&r);
	rc = unpack_parameters(codec, &r, parameter_count);
	if (rc < 0)
		return rc;
	column_count = byte_reader_uleb(&r);
	if (r.failed || column_count > BLOCK_COLUMN_MAX)
		return -EBADMSG;
	rc = size_block(codec, count, (uint32_t)column_count);
	if (rc < 0)
		return rc;
	codec->parameters.count = parameter_count;
	rc = unpack_columns(codec, &r);
	if (rc < 0)
		return rc;
	rc = unpack_text(codec, &r);
	if (rc < 0)
		return rc;
	return r.failed || byte_reader_left(&r) ? -EBADMSG : 0;
}

uint64_t block_checksum(const struct block_header *header, const void *bytes, size_t size_bytes)
{
	uint64_t row[] = { header->kind, header->first, header->count, header->time_min_ns,
			   header->time_max_ns };

	return XXH3_64bits_withSeed(bytes, size_bytes, XXH3_64bits(row, sizeof(row)));
}
