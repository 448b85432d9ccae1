/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/wire.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

bool wire_next(struct byte_reader *r, struct wire_field *ret_field)
{
	uint64_t tag, size_bytes;

	if (byte_reader_left(r) == 0)
		return false;
	tag = byte_reader_uleb(r);
	*ret_field = (struct wire_field){ .number = tag >> 3 };
	switch (tag & 7) {
	case WIRE_VARINT:
		ret_field->value = byte_reader_uleb(r);
		break;
	case WIRE_FIXED64:
		ret_field->value = byte_reader_u64(r);
		break;
	case WIRE_FIXED32:
		ret_field->value = byte_reader_u32(r);
		break;
	case WIRE_BYTES:
		size_bytes = byte_reader_uleb(r);
		if (size_bytes > byte_reader_left(r)) {
			r->failed = true;
			break;
		}
		ret_field->size_bytes = (size_t)size_bytes;
		ret_field->bytes = byte_reader_bytes(r, ret_field->size_bytes);
		break;
	default:
		r->failed = true;
	}
	return !r->failed;
}

bool wire_each_number(const struct wire_field *field, size_t *at, uint64_t *ret_value)
{
	struct byte_reader r = byte_reader_of(field->bytes, field->size_bytes);

	if (!field->bytes) {
		*ret_value = field->value;
		return (*at)++ == 0;
	}
	r.at = *at;
	if (byte_reader_left(&r) == 0)
		return false;
	*ret_value = byte_reader_uleb(&r);
	*at = r.at;
	return !r.failed;
}
