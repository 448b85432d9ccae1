/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - the text of source files
 *
 * The texts are not part of struct model. A command that needs a text reads it from a recording
 * (store/source_table.h) or from disk (symbolize/source_file.h, which also describes the files that
 * may be read).
 *
 * A text may contain arbitrary bytes and often comes from a target. Lines end with a newline and
 * are numbered from 1.
 */
#ifndef ASSAY_MODEL_SOURCE_H
#define ASSAY_MODEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * Limits on source texts. The largest source files in use are amalgamations of 10 MB. A recording
 * stores all its texts in a single block, so they must all fit in one block together.
 */
#define SOURCE_BYTES_MAX (12u << 20)
#define SOURCES_BYTES_MAX (15u << 20)	/* limit for all stored texts together */
#define SOURCES_MAX 256
#define SOURCE_LINE_MAX 512		/* maximum size of one line, with tabs expanded to blanks */
#define SOURCE_WHY_MAX 96

struct source_text {
	uint32_t file;			/* string: path of the file, as the compiler wrote it */
	char *bytes;			/* owned; NULL: not available, and @why gives the reason */
	size_t size_bytes;
	uint64_t mtime_ns;
	/* true: comes from the recording; false: read from a file */
	bool kept;
	VEC(uint32_t) starts;		/* offset of each line */
	char why[SOURCE_WHY_MAX];
};

struct source_list {
	VEC(struct source_text) list;
	size_t size_bytes;		/* total size of all texts */
};

/*
 * Finds the start of each line of @text and fills `starts`. `bytes` must already be set. Returns 0
 * or -ENOMEM.
 */
int source_index(struct source_text *text);
void source_text_fini(struct source_text *text);
void source_list_fini(struct source_list *sources);

/* Returns the text of @file, or NULL if it was never added. */
const struct source_text *source_of(const struct source_list *sources, uint32_t file);

/*
 * Copies line number @line to @ret_line without its line end. Expands tabs to blanks, with tab
 * stops at every 8 columns, and cuts a line that is too long. If there is no such line, sets
 * @ret_line to "" and returns false.
 */
bool source_line(const struct source_text *text, uint32_t line, char ret_line[SOURCE_LINE_MAX]);

/* Returns true if @path is equal to @wanted or ends with the path components of @wanted. */
bool source_path_is(const char *path, const char *wanted);

#endif
