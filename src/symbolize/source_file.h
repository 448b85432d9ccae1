/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_file.h - read the source file that debug information names
 *
 * The path is untrusted. Whoever compiled the program, perhaps another user who hopes that root
 * profiles it, chose which file the path names and what is there now. Therefore:
 *
 *	source_dirs	The caller named these directories, which is consent. A file below one of
 *			them is read with the caller's rights. The full path is tried below the
 *			directory first, then its trailing parts, the longest first. Neither ".."
 *			nor a symbolic link can lead out of the directory (openat2(2),
 *			RESOLVE_BENEATH).
 *	the path itself	is read with the caller's rights unless @only_public is set. A caller
 *			that is root, or that passes the text on to others, sets @only_public.
 *			Then the file is read only if every user could read it: others may
 *			search every directory and read the file, and no part of the path is a
 *			symbolic link. Each part is checked through the same descriptor from
 *			which the next step starts, so that it cannot be replaced between check
 *			and use.
 *
 * The file is not read with the rights of the program's owner, because a recording does not prove
 * who the owner was.
 *
 * In all cases the file must be a regular file whose last path component is not a symbolic link.
 * This is checked before the file is opened, because opening a FIFO would block and opening a
 * device could have any effect. The file may have at most SOURCE_BYTES_MAX bytes and no NUL bytes.
 * It is read and never mapped. No more bytes are read than the file's size says. Files in /proc
 * have size 0 and are therefore empty here, which matters because some of them show root more than
 * their mode suggests.
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
 * Fills @text with bytes and lines, or with the reason why the file cannot be read. @text->file is
 * set by the caller. Returns 0 even if there is no such file, or -ENOMEM.
 */
int source_file_read(const char *path, const struct source_options *options,
		     struct source_text *text);

#endif
