/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/jitdump_writer.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 40
#define RECORD_BYTES 16

enum { ID_LOAD, ID_MOVE, ID_LINES, ID_CLOSE };

static void put(struct jitdump_writer *w, const void *bytes, size_t size_bytes)
{
	if (size_bytes > sizeof(w->bytes) - w->size_bytes)
		abort();
	memcpy(w->bytes + w->size_bytes, bytes, size_bytes);
	w->size_bytes += size_bytes;
}

static void put_u32(struct jitdump_writer *w, uint32_t value)
{
	value = w->swapped ? __builtin_bswap32(value) : value;
	put(w, &value, sizeof(value));
}

static void put_u64(struct jitdump_writer *w, uint64_t value)
{
	value = w->swapped ? __builtin_bswap64(value) : value;
	put(w, &value, sizeof(value));
}

static void put_record(struct jitdump_writer *w, uint32_t id, size_t size_bytes, uint64_t time_ns)
{
	put_u32(w, id);
	put_u32(w, (uint32_t)size_bytes + RECORD_BYTES);
	put_u64(w, time_ns);
}

void jitdump_begin(struct jitdump_writer *w, bool swapped)
{
	w->size_bytes = 0;
	w->swapped = swapped;
	put_u32(w, 0x4a695444);
	put_u32(w, 1);
	put_u32(w, HEADER_BYTES);
	put_u32(w, 62);
	put_u32(w, 0);
	put_u32(w, 4242);
	put_u64(w, 0);
	put_u64(w, 0);
}

static void set(struct jitdump_writer *w, size_t at, const void *bytes, size_t size_bytes)
{
	memcpy(w->bytes + at, bytes, size_bytes);
}

void jitdump_set_flags(struct jitdump_writer *w, uint64_t flags)
{
	set(w, 32, &flags, sizeof(flags));
}

void jitdump_set_padding(struct jitdump_writer *w, uint32_t padding)
{
	set(w, 16, &padding, sizeof(padding));
}

void jitdump_load(struct jitdump_writer *w, uint64_t time_ns, uint64_t addr, uint64_t size_bytes,
		  const char *name)
{
	uint8_t byte = (uint8_t)addr;

	put_record(w, ID_LOAD, 40 + strlen(name) + 1 + (size_t)size_bytes, time_ns);
	put_u32(w, 4242);
	put_u32(w, 4242);
	put_u64(w, addr);
	put_u64(w, addr);
	put_u64(w, size_bytes);
	put_u64(w, 0);
	put(w, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size_bytes; i++)
		put(w, &byte, 1);
}

void jitdump_move(struct jitdump_writer *w, uint64_t time_ns, uint64_t from, uint64_t to,
		  uint64_t size_bytes)
{
	put_record(w, ID_MOVE, 48, time_ns);
	put_u32(w, 4242);
	put_u32(w, 4242);
	put_u64(w, to);
	put_u64(w, from);
	put_u64(w, to);
	put_u64(w, size_bytes);
	put_u64(w, 0);
}

void jitdump_close(struct jitdump_writer *w, uint64_t time_ns)
{
	put_record(w, ID_CLOSE, 0, time_ns);
}

void jitdump_lines(struct jitdump_writer *w, uint64_t addr, uint32_t line, uint32_t count,
		   const char *path)
{
	size_t names = count ? strlen(path) + 1 + 2 * (count - 1) : 0;

	put_record(w, ID_LINES, 16 + 16 * count + names, 0);
	put_u64(w, addr);
	put_u64(w, count);
	for (uint32_t i = 0; i < count; i++) {
		put_u64(w, addr + 4 * i);
		put_u32(w, line + i);
		put_u32(w, 0);
		put(w, i ? "\xff" : path, i ? 2 : strlen(path) + 1);
	}
}

void jitdump_raw(struct jitdump_writer *w, uint32_t id, uint32_t said_bytes, size_t size_bytes)
{
	put_u32(w, id);
	put_u32(w, said_bytes);
	put_u64(w, 0);
	for (size_t i = 0; i < size_bytes; i++)
		put(w, "", 1);
}
