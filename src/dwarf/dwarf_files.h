/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_files.h - the files that hold the debug information of one image
 *
 * Private to src/dwarf.
 */
#ifndef ASSAY_DWARF_DWARF_FILES_H
#define ASSAY_DWARF_DWARF_FILES_H

#include <limits.h>

#include "dwarf/debug_lines.h"
#include "dwarf/dwarf.h"

struct dwarf_files {
	const struct debug_lines_options *options;
	struct dwarf_budget budget;
	struct dwarf_file main;			/* the image, or its debug file */
	struct dwarf_file shared;		/* the dwz file */
	struct dwarf_file packed;		/* the .dwp file */
	bool has_shared, has_packed;
	bool missing_shared;
	/* a debug file may exist, but the debug_source did not deliver it */
	bool not_fetched;
	/* paths of the image and of @main; "": unknown */
	char image_path[PATH_MAX], main_path[PATH_MAX];
};

/*
 * Opens the file that has the debug information of @file (@file itself or its debug file), and the
 * dwz file if there is one. dwarf_files_split() opens the .dwp later. The caller keeps ownership of
 * @file.
 */
int dwarf_files_open(struct dwarf_files *files, const struct image_file *file,
		     const struct debug_lines_options *options);
int dwarf_files_from_bytes(struct dwarf_files *files, const void *bytes, size_t size_bytes);
void dwarf_files_close(struct dwarf_files *files);

/*
 * Opens the split unit that belongs to @skeleton (dwarf_split.h), either in a .dwo or in the .dwp.
 * If the unit is in a .dwo, *@ret_file is that .dwo, and the caller must call dwarf_file_fini() on
 * it. If the unit is in the .dwp, ret_file->owned_fd is -1. Returns -ENOENT if the unit cannot be
 * found.
 */
int dwarf_files_split(struct dwarf_files *files, const struct dwarf_cu *skeleton,
		      struct dwarf_file *ret_file, struct dwarf_cu *ret_cu);

#endif
