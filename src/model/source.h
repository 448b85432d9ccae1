/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - the text of source files
 *
 * Not part of struct model: read when somebody asks for it, from a recording
 * (store/source_table.h) or from disk (symbolize/source_file.h), which says whose files are read.
 *
 * A text is bytes of any kind, often a target's.  Lines end with a newline and are numbered from 1.
 */
#ifndef ASSAY_MODEL_SOURCE_H
#define ASSAY_MODEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * The largest sources that people write are amalgamations of 10 MB; what is kept must fit one
 * block of a recording.
 */
#define SOURCE_BYTES_MAX (12u << 20)
#define SOURCES_BYTES_MAX (15u << 20)	/* of all that are kept */
#define SOURCES_MAX 256
#define SOURCE_LINE_MAX 512		/* bytes of one line, with its tabs as blanks */
#define SOURCE_WHY_MAX 96

struct source_text {
	uint32_t file;			/* string: the path that the compiler wrote */
	char *bytes;			/* owned; NULL: not here, and @why says why not */
	size_t size_bytes;
	uint64_t mtime_ns;
	bool kept;			/* in the recording; else read from a file */
	VEC(uint32_t) starts;		/* offset of each line */
	char why[SOURCE_WHY_MAX];
};

struct source_list {
	VEC(struct source_text) list;
	size_t size_bytes;		/* of all texts */
};

/* Finds the lines of @text, whose bytes are set. 0 or -ENOMEM. */
int source_index(struct source_text *text);
void source_text_fini(struct source_text *text);
void source_list_fini(struct source_list *sources);

/* NULL where that file was never added. */
const struct source_text *source_of(const struct source_list *sources, uint32_t file);

/*
 * Line @line without its end, tabs as blanks up to each eighth column, cut where it is too
 * long. False: there is no such line; @ret_line is then "".
 */
bool source_line(const struct source_text *text, uint32_t line, char ret_line[SOURCE_LINE_MAX]);

/* Is @path the file that somebody named @wanted: the same, or the same trailing components? */
bool source_path_is(const char *path, const char *wanted);

#endif
