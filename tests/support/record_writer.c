/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record_writer.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static void put(struct record_writer *w, const void *bytes, size_t size_bytes)
{
	if (size_bytes > sizeof(w->bytes) - w->size_bytes)
		abort();
	memcpy(w->bytes + w->size_bytes, bytes, size_bytes);
	w->size_bytes += size_bytes;
}

void record_begin(struct record_writer *w, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	w->size_bytes = 0;
	put(w, &header, sizeof(header));
}

void record_u16(struct record_writer *w, uint16_t value)
{
	put(w, &value, sizeof(value));
}

void record_u32(struct record_writer *w, uint32_t value)
{
	put(w, &value, sizeof(value));
}

void record_u64(struct record_writer *w, uint64_t value)
{
	put(w, &value, sizeof(value));
}

void record_text(struct record_writer *w, const char *text)
{
	put(w, text, strlen(text) + 1);
	while (w->size_bytes % 8)
		put(w, "", 1);
}

void record_end(struct record_writer *w)
{
	uint16_t size = (uint16_t)w->size_bytes;

	memcpy(w->bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
}
