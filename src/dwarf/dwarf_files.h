/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_files.h - the files that hold the debug information of one image
 *
 * Private to this room.
 */
#ifndef ASSAY_DWARF_DWARF_FILES_H
#define ASSAY_DWARF_DWARF_FILES_H

#include <limits.h>

#include "dwarf/debug_lines.h"
#include "dwarf/dwarf.h"

struct dwarf_files {
	const struct debug_lines_options *options;
	struct dwarf_budget budget;
	struct dwarf_file main;			/* the image or its debug file */
	struct dwarf_file shared;		/* dwz's */
	struct dwarf_file packed;		/* the .dwp */
	bool has_shared, has_packed;
	bool missing_shared;
	bool not_fetched;			/* who was asked has it perhaps */
	char image_path[PATH_MAX], main_path[PATH_MAX];	/* "": not known */
};

/* Finds and opens them; the .dwp only where dwarf_files_split() asks. @file stays the caller's. */
int dwarf_files_open(struct dwarf_files *files, const struct image_file *file,
		     const struct debug_lines_options *options);
int dwarf_files_from_bytes(struct dwarf_files *files, const void *bytes, size_t size_bytes);
void dwarf_files_close(struct dwarf_files *files);

/*
 * The unit that belongs to @skeleton, in a .dwo, which @ret_file is then and has to be finished, or
 * in the .dwp. -ENOENT when it is nowhere.
 */
int dwarf_files_split(struct dwarf_files *files, const struct dwarf_cu *skeleton,
		      struct dwarf_file *ret_file, struct dwarf_cu *ret_cu);

#endif
