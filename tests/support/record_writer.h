/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_writer.h - builds perf records byte by byte, as described in perf_event_open(2)
 *
 *	struct record_writer w;
 *	record_begin(&w, PERF_RECORD_COMM, 0);
 *	record_u32(&w, tgid); record_u32(&w, tid); record_text(&w, "bash");
 *	record_end(&w);		w.bytes, w.size_bytes
 *
 * If a record exceeds the buffer, abort() ends the test.
 */
#ifndef ASSAY_TESTS_RECORD_WRITER_H
#define ASSAY_TESTS_RECORD_WRITER_H

#include <stddef.h>
#include <stdint.h>

struct record_writer {
	_Alignas(8) uint8_t bytes[4096];
	size_t size_bytes;
};

void record_begin(struct record_writer *w, uint32_t type, uint16_t misc);
void record_u16(struct record_writer *w, uint16_t value);
void record_u32(struct record_writer *w, uint32_t value);
void record_u64(struct record_writer *w, uint64_t value);

/*
 * Appends a string, terminated by NUL and padded with NULs to a multiple of eight bytes, as the
 * kernel does.
 */
void record_text(struct record_writer *w, const char *text);

/* Enters the size in the header. */
void record_end(struct record_writer *w);

#endif
