/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_text.h - parse the output lines of perf script
 *
 *	make 4242/4243 [001] 12.345678:  1010101 cpu-clock:u:   55d0 main+0x10 (/usr/bin/make)
 *		            7f3c step+0x4 (inlined)
 *		            7f3c walk+0x4
 *	  /home/src/walk.h:7 (inlined)
 *		            7f3c work+0x24 (/usr/bin/make)
 *	  /home/src/work.c:12
 *
 * The first line of a sample contains the thread, the timestamp and other fields; the user selects
 * the fields with perf script -F. The frames follow, innermost first, each on a line that begins
 * with a tab. If the stack has a single frame, perf can print it at the end of the first line
 * instead. A sample ends at an empty line or at the first line of the next sample. Nothing is
 * copied: results point into the line. Source: the output of builtin-script.c of Linux 6.1 to 6.12.
 */
#ifndef ASSAY_IMPORT_PERF_TEXT_H
#define ASSAY_IMPORT_PERF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_word {
	const char *text;		/* not NUL-terminated */
	size_t length;			/* 0: the line does not contain this field */
};

struct perf_text_sample {
	struct perf_word comm, event;
	uint32_t tgid, tid;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t period;
	bool has_tgid, has_cpu, has_time, has_period;
	bool is_bare;			/* the line has neither a timestamp nor a CPU */
	/* text after the event: a frame, or the data of a tracepoint */
	struct perf_word rest;
};

struct perf_text_frame {
	/* address of the frame; offset of this address from the start of the function */
	uint64_t addr, offset;
	bool has_addr, has_offset;
	/* the function is inlined; the next frame that is not inlined contains its code */
	bool is_inlined;
	struct perf_word name;		/* empty if not known */
	struct perf_word image;
};

struct perf_text_line {
	struct perf_word file;
	uint32_t number;
	/*
	 * The line ends with "(inlined)", which means that the frame printed before it is inlined.
	 * The line of that frame itself does not always have this mark.
	 */
	bool is_inlined;
};

/*
 * Each of these functions parses one kind of line. Returns false if the line is of a different
 * kind.
 */
bool perf_text_sample(const char *text, size_t length, struct perf_text_sample *ret_sample);
bool perf_text_frame(const char *text, size_t length, struct perf_text_frame *ret_frame);

/*
 * Parses the line "  FILE:LINE" that -F +srcline prints after a frame. FILE is empty if perf does
 * not know the source file.
 */
bool perf_text_line(const char *text, size_t length, struct perf_text_line *ret_line);

/* Parses a line "# KEY : VALUE" that perf script --header prints. */
bool perf_text_header(const char *text, size_t length, struct perf_word *ret_key,
		      struct perf_word *ret_value);

bool perf_word_is(struct perf_word word, const char *text);
bool perf_word_begins(struct perf_word word, const char *text);
bool perf_word_ends(struct perf_word word, const char *text);

#endif
