/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/leaf_pages.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/byte_reader.h"
#include "base/cleanup.h"

#define LEAF_OF_TABLE 0x0d
#define LEAF_HEADER_BYTES 8
#define COLUMNS 8
#define ROW_BYTES_MAX (UINT64_C(32) << 20)

struct scan {
	const struct leaf_pages *pages;
	uint8_t *page, *overflow;
	struct byte_vec row;
	/*
	 * Rows that share pages could add up to much more than the file. In a valid file, each byte
	 * belongs to one row at most.
	 */
	uint64_t bytes_left;
};

static void scan_fini(struct scan *scan)
{
	free(scan->page);
	free(scan->overflow);
	vec_free(&scan->row);
}

static uint16_t u16_at(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t u32_at(const uint8_t *bytes)
{
	return (uint32_t)u16_at(bytes) << 16 | u16_at(bytes + 2);
}

/* SQLite's own variable-length number: seven bits in a byte, eight bits in the ninth. */
static uint64_t varint(struct byte_reader *r)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++) {
		uint8_t byte = byte_reader_u8(r);

		value = value << 7 | (byte & 0x7f);
		if (!(byte & 0x80))
			return value;
	}
	return value << 8 | byte_reader_u8(r);
}

static int read_page(const struct leaf_pages *pages, uint32_t number, uint8_t *ret_page)
{
	ssize_t size = pread(pages->fd, ret_page, pages->page_bytes,
			     (off_t)(number - 1) * pages->page_bytes);

	return size == (ssize_t)pages->page_bytes ? 0 : size < 0 ? -errno : -EBADMSG;
}

/* ---- one row ---- */

struct shape {
	uint64_t types[COLUMNS];
	uint64_t header_bytes;
};

static uint64_t size_of_type(uint64_t type)
{
	static const uint8_t sizes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };

	return type < sizeof(sizes) ? sizes[type] : (type - 12) / 2;
}

static bool is_text(uint64_t type)
{
	return type >= 13 && type % 2;
}

static bool is_blob(uint64_t type)
{
	return type >= 12 && type % 2 == 0;
}

/* Returns true if the columns are those of a block: id, kind, five numbers, data. */
static bool read_shape(struct byte_reader *r, struct shape *ret_shape)
{
	size_t start = r->at;

	ret_shape->header_bytes = varint(r);
	for (int i = 0; i < COLUMNS; i++)
		ret_shape->types[i] = varint(r);
	if (r->failed || r->at - start != ret_shape->header_bytes)
		return false;
	for (int i = 2; i < COLUMNS - 1; i++)
		if (ret_shape->types[i] > 9 || ret_shape->types[i] == 7)
			return false;
	return ret_shape->types[0] == 0 && is_text(ret_shape->types[1]) &&
	       is_blob(ret_shape->types[COLUMNS - 1]);
}

static uint64_t read_number(struct byte_reader *r, uint64_t type)
{
	uint64_t size = size_of_type(type), value = 0;

	if (type == 8 || type == 9)
		return type - 8;
	for (uint64_t i = 0; i < size; i++) {
		uint8_t byte = byte_reader_u8(r);

		if (i == 0 && byte & 0x80)
			value = UINT64_MAX;
		value = value << 8 | byte;
	}
	return value;
}

static int kind_of_name(const void *name, size_t length)
{
	for (int kind = 0; name && kind < BLOCK_KIND_COUNT; kind++) {
		const char *known = block_kind_name((enum block_kind)kind);

		if (strlen(known) == length && memcmp(known, name, length) == 0)
			return kind;
	}
	return -1;
}

/* Decodes the row in scan->row. Returns -EBADMSG if it is not that of a block. */
static int decode(const struct scan *scan, struct leaf_block *block)
{
	struct byte_reader r = byte_reader_of(scan->row.at, scan->row.count);
	struct shape shape;
	uint64_t numbers[COLUMNS - 3];
	int kind;

	if (!read_shape(&r, &shape))
		return -EBADMSG;
	kind = kind_of_name(byte_reader_bytes(&r, size_of_type(shape.types[1])),
			    size_of_type(shape.types[1]));
	for (int i = 0; i < COLUMNS - 3; i++)
		numbers[i] = read_number(&r, shape.types[2 + i]);
	block->size_bytes = size_of_type(shape.types[COLUMNS - 1]);
	block->data = byte_reader_bytes(&r, block->size_bytes);
	if (r.failed || kind < 0 || numbers[1] > BLOCK_COUNT_MAX)
		return -EBADMSG;
	block->header = (struct block_header){
		.kind = (enum block_kind)kind,
		.first = numbers[0],
		.count = (uint32_t)numbers[1],
		.time_min_ns = numbers[2],
		.time_max_ns = numbers[3],
	};
	block->checksum = numbers[4];
	return 0;
}

/* Adds the part of a row that is in a chain of other pages. */
static int add_overflow(struct scan *scan, uint64_t size_bytes, uint32_t number)
{
	uint32_t room = scan->pages->page_bytes - 4;

	while (scan->row.count < size_bytes) {
		uint64_t left = size_bytes - scan->row.count;
		size_t part = left < room ? (size_t)left : room;
		int rc;

		if (number == 0 || number > scan->pages->page_count)
			return -EBADMSG;
		rc = read_page(scan->pages, number, scan->overflow);
		if (rc < 0)
			return rc;
		memcpy(scan->row.at + scan->row.count, scan->overflow + 4, part);
		scan->row.count += part;
		number = u32_at(scan->overflow);
	}
	return 0;
}

/* Returns how many bytes of a row are in its leaf page. */
static uint64_t local_bytes(uint64_t size_bytes, uint64_t page_bytes)
{
	uint64_t most = page_bytes - 35, least = (page_bytes - 12) * 32 / 255 - 23, some;

	if (size_bytes <= most)
		return size_bytes;
	some = least + (size_bytes - least) % (page_bytes - 4);
	return some <= most ? some : least;
}

/*
 * Reads the row at @at into scan->row. Returns -EBADMSG if it is not that of a block, or if a part
 * is missing.
 */
static int read_row(struct scan *scan, size_t at, int64_t *ret_id)
{
	struct byte_reader r = byte_reader_of(scan->page, scan->pages->page_bytes), peek;
	struct shape shape;
	uint64_t size_bytes, local;
	const void *bytes;

	byte_reader_seek(&r, at);
	size_bytes = varint(&r);
	*ret_id = (int64_t)varint(&r);
	peek = r;
	if (!read_shape(&peek, &shape) || size_bytes > ROW_BYTES_MAX ||
	    size_bytes > scan->bytes_left)
		return -EBADMSG;
	local = local_bytes(size_bytes, scan->pages->page_bytes);
	bytes = byte_reader_bytes(&r, local);
	if (!bytes)
		return -EBADMSG;
	scan->bytes_left -= size_bytes;
	vec_clear(&scan->row);
	if (vec_reserve(&scan->row, size_bytes) < 0)
		return -ENOMEM;
	memcpy(scan->row.at, bytes, local);
	scan->row.count = local;
	if (local == size_bytes)
		return 0;
	bytes = byte_reader_bytes(&r, 4);
	return bytes ? add_overflow(scan, size_bytes, u32_at(bytes)) : -EBADMSG;
}

/* ---- all rows ---- */

static int visit_page(struct scan *scan, leaf_visit_fn visit, void *context, uint64_t *damaged)
{
	size_t count = u16_at(scan->page + 3);

	for (size_t i = 0; i < count; i++) {
		size_t pointer = LEAF_HEADER_BYTES + 2 * i;
		struct leaf_block block = { 0 };
		int rc;

		if (pointer + 2 > scan->pages->page_bytes)
			return 0;
		rc = read_row(scan, u16_at(scan->page + pointer), &block.id);
		if (rc == 0)
			rc = decode(scan, &block);
		if (rc == -EBADMSG)
			continue;
		if (rc < 0)
			return rc;
		if (block_checksum(&block.header, block.data, block.size_bytes) != block.checksum) {
			++*damaged;
			continue;
		}
		rc = visit(context, &block);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int leaf_pages_each_block(const struct leaf_pages *pages, leaf_visit_fn visit, void *context,
			  uint64_t *ret_damaged)
{
	_cleanup_(scan_fini) struct scan scan = {
		.pages = pages,
		.page = malloc(pages->page_bytes),
		.overflow = malloc(pages->page_bytes),
		.bytes_left = (uint64_t)pages->page_bytes * pages->page_count,
	};

	*ret_damaged = 0;
	if (!scan.page || !scan.overflow)
		return -ENOMEM;
	/* Page 1 begins with the header of the file, and is never a page of this table. */
	for (uint32_t number = 2; number <= pages->page_count; number++) {
		int rc = read_page(pages, number, scan.page);

		if (rc == 0 && scan.page[0] == LEAF_OF_TABLE)
			rc = visit_page(&scan, visit, context, ret_damaged);
		if (rc < 0)
			return rc;
	}
	return 0;
}
