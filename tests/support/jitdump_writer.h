/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump_writer.h - creates jitdumps with known content in memory
 *
 *	struct jitdump_writer w;
 *
 *	jitdump_begin(&w, false);
 *	jitdump_load(&w, 100, 0x1000, 16, "name");
 *	w.bytes, w.size_bytes
 *
 * A jitdump may have at most 64 KiB; abort() ends the test if it grows larger. The code of a
 * function is the lowest byte of its address, repeated.
 */
#ifndef ASSAY_TESTS_JITDUMP_WRITER_H
#define ASSAY_TESTS_JITDUMP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JITDUMP_WRITER_BYTES 65536

struct jitdump_writer {
	uint8_t bytes[JITDUMP_WRITER_BYTES];
	size_t size_bytes;
	bool swapped;
};

/* Writes a header, in the byte order that is not the host's if @swapped. */
void jitdump_begin(struct jitdump_writer *w, bool swapped);
void jitdump_set_flags(struct jitdump_writer *w, uint64_t flags);
void jitdump_set_padding(struct jitdump_writer *w, uint32_t padding);

void jitdump_load(struct jitdump_writer *w, uint64_t time_ns, uint64_t addr, uint64_t size_bytes,
		  const char *name);
void jitdump_move(struct jitdump_writer *w, uint64_t time_ns, uint64_t from, uint64_t to,
		  uint64_t size_bytes);
void jitdump_close(struct jitdump_writer *w, uint64_t time_ns);

/*
 * Writes a record with the lines @line, @line + 1, ... of @path, at addresses from @addr in steps
 * of four bytes.
 */
void jitdump_lines(struct jitdump_writer *w, uint64_t addr, uint32_t line, uint32_t count,
		   const char *path);

/*
 * Writes a record with this id and @size_bytes zeros, whose header gives its size as @said_bytes.
 */
void jitdump_raw(struct jitdump_writer *w, uint32_t id, uint32_t said_bytes, size_t size_bytes);

#endif
