/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * byte_writer.h - writes what byte_reader.h reads, in the host's byte order
 *
 * When out of memory, the writer is marked as failed and its bytes are incomplete. So a caller can
 * write a whole structure and check `failed` once.
 */
#ifndef ASSAY_BASE_BYTE_WRITER_H
#define ASSAY_BASE_BYTE_WRITER_H

#include <stdbool.h>

#include "base/vec.h"

struct byte_writer {
	VEC(uint8_t) bytes;
	bool failed;
};

static inline void byte_writer_fini(struct byte_writer *w)
{
	vec_free(&w->bytes);
}

static inline void byte_writer_bytes(struct byte_writer *w, const void *bytes, size_t size_bytes)
{
	if (size_bytes == 0 || w->failed)
		return;
	if (vec_reserve(&w->bytes, w->bytes.count + size_bytes) < 0) {
		w->failed = true;
		return;
	}
	memcpy(w->bytes.at + w->bytes.count, bytes, size_bytes);
	w->bytes.count += size_bytes;
}

static inline void byte_writer_u32(struct byte_writer *w, uint32_t value)
{
	byte_writer_bytes(w, &value, sizeof(value));
}

static inline void byte_writer_u64(struct byte_writer *w, uint64_t value)
{
	byte_writer_bytes(w, &value, sizeof(value));
}

/* Writes the text and its NUL. */
static inline void byte_writer_string(struct byte_writer *w, const char *text)
{
	byte_writer_bytes(w, text, strlen(text) + 1);
}

#endif
