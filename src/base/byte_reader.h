/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * byte_reader.h - reads untrusted bytes; all code that parses such bytes uses it
 *
 * A reader is a cursor over a range of bytes. Every read is checked against the end of the range.
 * The first read that does not fit marks the reader as failed and moves the cursor to the end. The
 * failed read and all later reads return zeros. So a parser can read a whole structure and check
 * `if (r.failed)` once. Integers are read in host byte order, or in the opposite byte order if
 * `swapped` is set (for ELF files). No read goes past @size_bytes, whatever the bytes are.
 */
#ifndef ASSAY_BASE_BYTE_READER_H
#define ASSAY_BASE_BYTE_READER_H

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_reader {
	const uint8_t *bytes;	/* borrowed */
	size_t size_bytes;
	size_t at;		/* offset of the next byte; <= size_bytes */
	bool swapped;
	bool failed;
};

static inline struct byte_reader byte_reader_of(const void *bytes, size_t size_bytes)
{
	return (struct byte_reader){ .bytes = bytes, .size_bytes = size_bytes };
}

static inline size_t byte_reader_left(const struct byte_reader *r)
{
	return r->size_bytes - r->at;
}

/*
 * The short functions are inline because sample records and call frame information consist of many
 * small integers.
 */

/* Returns true if @size_bytes are left. Otherwise marks the reader as failed. */
static inline bool byte_reader_has(struct byte_reader *r, size_t size_bytes)
{
	if (__builtin_expect(!r->failed && size_bytes <= byte_reader_left(r), 1))
		return true;
	r->failed = true;
	r->at = r->size_bytes;
	return false;
}

/*
 * Returns a pointer to the next @size_bytes bytes. If fewer are left, marks the reader as failed
 * and returns NULL.
 */
static inline const void *byte_reader_bytes(struct byte_reader *r, size_t size_bytes)
{
	const uint8_t *bytes = r->bytes + r->at;

	if (!byte_reader_has(r, size_bytes))
		return NULL;
	r->at += size_bytes;
	return bytes;
}

static inline void byte_reader_skip(struct byte_reader *r, size_t size_bytes)
{
	(void)byte_reader_bytes(r, size_bytes);
}

static inline uint8_t byte_reader_u8(struct byte_reader *r)
{
	if (__builtin_expect(r->at >= r->size_bytes, 0))
		return (uint8_t)byte_reader_has(r, 1);	/* marks the reader as failed */
	return r->bytes[r->at++];
}

static inline uint16_t byte_reader_u16(struct byte_reader *r)
{
	const void *bytes = byte_reader_bytes(r, sizeof(uint16_t));
	uint16_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return r->swapped ? bswap_16(value) : value;
}

static inline uint32_t byte_reader_u32(struct byte_reader *r)
{
	const void *bytes = byte_reader_bytes(r, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return r->swapped ? bswap_32(value) : value;
}

static inline uint64_t byte_reader_u64(struct byte_reader *r)
{
	const void *bytes = byte_reader_bytes(r, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return r->swapped ? bswap_64(value) : value;
}

/*
 * Reads an unsigned LEB128 number. If the number has more than 64 bits or ten bytes, marks the
 * reader as failed and returns 0.
 */
uint64_t byte_reader_uleb_long(struct byte_reader *r);
static inline uint64_t byte_reader_uleb(struct byte_reader *r)
{
	if (r->at < r->size_bytes && r->bytes[r->at] < 0x80)
		return r->bytes[r->at++];
	return byte_reader_uleb_long(r);
}

int64_t byte_reader_sleb(struct byte_reader *r);

/*
 * Reads a NUL-terminated string. If there is no NUL in the range, marks the reader as failed and
 * returns "".
 */
const char *byte_reader_string(struct byte_reader *r, size_t *ret_length);

void byte_reader_seek(struct byte_reader *r, size_t at);

/*
 * Returns a reader over a part of @r. If the part is not inside @r, the new reader is already
 * failed.
 */
struct byte_reader byte_reader_part(const struct byte_reader *r, uint64_t at, uint64_t size_bytes);

#endif
