/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_text.h - the lines of perf script
 *
 *	make 4242/4243 [001] 12.345678:  1010101 cpu-clock:u:   55d0 main+0x10 (/usr/bin/make)
 *		            7f3c step+0x4 (inlined)
 *		            7f3c walk+0x4
 *	  /home/src/walk.h:7 (inlined)
 *		            7f3c work+0x24 (/usr/bin/make)
 *	  /home/src/work.c:12
 *
 * A sample begins with who and when; which of these fields there are is a matter of -F.  Its
 * frames follow innermost first, each below a tab, or the only one at the end of the line.  An
 * empty line, or the next sample, ends it.
 * Nothing is copied: what is returned points into the line.
 * Source: builtin-script.c of Linux 6.1 to 6.12, by what it prints.
 */
#ifndef ASSAY_IMPORT_PERF_TEXT_H
#define ASSAY_IMPORT_PERF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_word {
	const char *text;		/* not terminated */
	size_t length;			/* 0: it is not there */
};

struct perf_text_sample {
	struct perf_word comm, event;
	uint32_t tgid, tid;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t period;
	bool has_tgid, has_cpu, has_time, has_period;
	struct perf_word rest;		/* behind the event: a frame, or what a tracepoint tells */
};

struct perf_text_frame {
	uint64_t addr, offset;		/* of the frame; from where its function begins */
	bool has_addr, has_offset;
	bool is_inlined;		/* into the next one that is not */
	struct perf_word name;		/* none where it is not known */
	struct perf_word image;
};

struct perf_text_line {
	struct perf_word file;
	uint32_t number;
	bool is_inlined;		/* what stands before it is inlined; said here alone */
};

/* False: it is no such line. */
bool perf_text_sample(const char *text, size_t length, struct perf_text_sample *ret_sample);
bool perf_text_frame(const char *text, size_t length, struct perf_text_frame *ret_frame);

/* "  FILE:LINE", below a frame, with -F +srcline; no file where perf knows none. */
bool perf_text_line(const char *text, size_t length, struct perf_text_line *ret_line);

/* "# KEY : VALUE", of --header. */
bool perf_text_header(const char *text, size_t length, struct perf_word *ret_key,
		      struct perf_word *ret_value);

bool perf_word_is(struct perf_word word, const char *text);
bool perf_word_begins(struct perf_word word, const char *text);

#endif
