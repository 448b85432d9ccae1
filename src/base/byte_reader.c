/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/byte_reader.h"

static void fail(struct byte_reader *r)
{
	r->failed = true;
	r->at = r->size_bytes;
}

uint64_t byte_reader_uleb_long(struct byte_reader *r)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = byte_reader_u8(r);

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return r->failed ? 0 : value;
	}
	fail(r);
	return 0;
}

int64_t byte_reader_sleb(struct byte_reader *r)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		uint8_t byte = byte_reader_u8(r);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (r->failed)
			return 0;
		if (shift + 7 < 64 && (byte & 0x40))
			value |= UINT64_MAX << (shift + 7);
		return (int64_t)value;
	}
	fail(r);
	return 0;
}

const char *byte_reader_string(struct byte_reader *r, size_t *ret_length)
{
	const uint8_t *start = r->bytes + r->at;
	const uint8_t *end = r->failed ? NULL : memchr(start, 0, byte_reader_left(r));

	if (!end) {
		fail(r);
		if (ret_length)
			*ret_length = 0;
		return "";
	}
	if (ret_length)
		*ret_length = (size_t)(end - start);
	r->at += (size_t)(end - start) + 1;
	return (const char *)start;
}

void byte_reader_seek(struct byte_reader *r, size_t at)
{
	if (r->failed || at > r->size_bytes)
		fail(r);
	else
		r->at = at;
}

struct byte_reader byte_reader_part(const struct byte_reader *r, uint64_t at, uint64_t size_bytes)
{
	struct byte_reader part = { .bytes = r->bytes, .swapped = r->swapped, .failed = true };

	if (r->failed || at > r->size_bytes || size_bytes > r->size_bytes - at)
		return part;
	part.bytes = r->bytes + at;
	part.size_bytes = (size_t)size_bytes;
	part.failed = false;
	return part;
}
