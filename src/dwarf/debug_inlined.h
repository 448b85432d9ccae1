/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_inlined.h - where a function was inlined
 *
 * A function that was inlined into all its callers has no code of its own. Debug information
 * (debug_lines.h) tells into which functions. All of it is read, unless the budget of dwarf.h ends.
 */
#ifndef ASSAY_DWARF_DEBUG_INLINED_H
#define ASSAY_DWARF_DEBUG_INLINED_H

#include <stdbool.h>

#include "dwarf/debug_lines.h"

/* All callbacks get linkage names, which are valid only until they return. */
struct debug_inlined_sink {
	void *context;
	bool (*wants)(void *context, const char *function);	/* is asked once for each */
	/* The wanted function was inlined into this one. Returns a negative value to stop. */
	int (*into)(void *context, const char *function);
};

/* Returns 0, an error of debug_lines_resolve(), or what stopped it. */
int debug_inlined_find(const struct image_file *file, const struct debug_lines_options *options,
		       const struct debug_inlined_sink *sink);

/* Does the same for an image in memory. Does not read any other file. */
int debug_inlined_from_bytes(const void *bytes, size_t size_bytes,
			     const struct debug_inlined_sink *sink);

#endif
