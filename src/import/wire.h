/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - the fields of a protobuf message
 *
 *	struct byte_reader r = byte_reader_of(bytes, size);
 *	struct wire_field field;
 *	while (wire_next(&r, &field))
 *		switch (field.number) { ... }
 *	if (r.failed) it was damaged; what came before is good
 *
 * Nothing is copied or allocated.
 * Source: protobuf.dev/programming-guides/encoding.
 */
#ifndef ASSAY_IMPORT_WIRE_H
#define ASSAY_IMPORT_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_reader.h"

struct wire_field {
	uint64_t number;
	uint64_t value;			/* of a number; else */
	const uint8_t *bytes;		/* a message, a string, packed numbers; NULL: none */
	size_t size_bytes;
};

/* False at the end, and where what follows is no field. */
bool wire_next(struct byte_reader *r, struct wire_field *ret_field);

/* The numbers of a repeated field, which may be packed: *at from 0 on. */
bool wire_each_number(const struct wire_field *field, size_t *at, uint64_t *ret_value);

static inline struct byte_reader wire_message(const struct wire_field *field)
{
	return byte_reader_of(field->bytes, field->size_bytes);
}

#endif
