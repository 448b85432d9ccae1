/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_file.h - read the source file that debug information names
 *
 * The path is a target's: whoever compiled the program, perhaps another user who hopes that
 * root looks at it, chose which file it names and what stands there now.  So:
 *
 *	directories that the caller names (source_dirs) are consent.  A file is read below one
 *		of them with the caller's rights: the full path below it, then its trailing
 *		parts, the longest first.  No ".." and no link leads out of the directory
 *		(openat2(2), RESOLVE_BENEATH).
 *	the path itself is read with the caller's rights unless @only_public is set, which
 *		whoever is root, or hands the text on, sets.  Then it is read only where anybody
 *		may: every directory may be searched and the file be read by others, and no part
 *		of the path is a symbolic link.  Each is looked at through the descriptor that
 *		the next step starts from, so that nothing can be exchanged in between.
 *
 * Why not with the rights of the program's owner: a recording does not prove who that was.
 *
 * In all cases it is a regular file, found out before it is opened (a FIFO would block, a device
 * could do anything), whose last component is no link; at most SOURCE_BYTES_MAX bytes, read and
 * never mapped, without NUL.  No more is read than the file's size says: those of /proc, some of
 * which tell root more than their mode shows, say 0 and are empty here.
 */
#ifndef ASSAY_SYMBOLIZE_SOURCE_FILE_H
#define ASSAY_SYMBOLIZE_SOURCE_FILE_H

#include "model/source.h"

#define SOURCE_DIRS_MAX 16

struct source_options {
	const char *source_dirs[SOURCE_DIRS_MAX];	/* tried in order, before the path itself */
	size_t source_dir_count;
	bool only_public;
};

/*
 * Fills @text: bytes and lines, or why they are not here.  @text->file is the caller's. 0 also
 * where there is no file; -ENOMEM.
 */
int source_file_read(const char *path, const struct source_options *options,
		     struct source_text *text);

#endif
