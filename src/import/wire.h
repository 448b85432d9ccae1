/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - decodes the fields of a protobuf message
 *
 *	struct byte_reader r = byte_reader_of(bytes, size);
 *	struct wire_field field;
 *	while (wire_next(&r, &field))
 *		switch (field.number) { ... }
 *	if (r.failed) the message was damaged; the fields before the damage are valid
 *
 * Nothing is copied or allocated. Source: protobuf.dev/programming-guides/encoding.
 */
#ifndef ASSAY_IMPORT_WIRE_H
#define ASSAY_IMPORT_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_reader.h"

struct wire_field {
	uint64_t number;
	uint64_t value;			/* valid if the field is a number */
	/* contents of a message, a string or packed numbers; NULL if the field is a number */
	const uint8_t *bytes;
	size_t size_bytes;
};

/*
 * Reads the next field. Returns false at the end of the message. Also returns false, and sets
 * r->failed, if the next bytes are not a valid field.
 */
bool wire_next(struct byte_reader *r, struct wire_field *ret_field);

/*
 * Reads the next number of a repeated field, which may be packed or not. *at is the read position
 * in the field and must be 0 in the first call. Returns false if there are no more numbers.
 */
bool wire_each_number(const struct wire_field *field, size_t *at, uint64_t *ret_value);

static inline struct byte_reader wire_message(const struct wire_field *field)
{
	return byte_reader_of(field->bytes, field->size_bytes);
}

#endif
