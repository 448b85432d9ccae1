/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_file.h - read the source file that debug information names
 *
 * The path is untrusted. The user who compiled the program chose the path, and may have put any
 * file there since then, or may have named one of root's files, in the hope that root profiles the
 * program. Therefore a file is read only in these two ways:
 *
 *	source_dirs	The caller named these directories, and so agreed that files below them
 *			are read. A file below a source_dir is read with the caller's rights. The
 *			full path is tried below the directory first, then the path without its
 *			first component, without its first two components, and so on. Neither
 *			".." nor a symbolic link can lead out of the directory (openat2(2),
 *			RESOLVE_BENEATH).
 *	the path itself	The file is read with the caller's rights unless @only_public is set. A
 *			caller that is root, or that passes the text on to others, sets
 *			@only_public. Then the file is read only if every user could read it:
 *			every user may search each directory and read the file, and no part of
 *			the path is a symbolic link. Each part is opened once, and is checked and
 *			used through the same descriptor, so that nobody can replace the part in
 *			between. With @own_too, which a caller sets that only shows the text to
 *			its user, parts of the path that belong to this user and that nobody else
 *			may write are accepted, too, if the name of the file ends like that of
 *			source code. So no private key or password file is shown.
 *
 * The file is not read with the rights of the program's owner, because a recording does not prove
 * who the owner was.
 *
 * In both cases the file must be a regular file, and the last component of its path must not be a
 * symbolic link. These conditions are checked before the file is opened, because opening a FIFO
 * would block and opening a device could have any effect. The file may have at most
 * SOURCE_BYTES_MAX bytes and no NUL bytes. It is read and never mapped.
 *
 * No more bytes are read than the size of the file indicates. Files in /proc have size 0, so
 * nothing is read from them. This matters because some files in /proc show more to root than their
 * mode suggests.
 */
#ifndef ASSAY_SYMBOLIZE_SOURCE_FILE_H
#define ASSAY_SYMBOLIZE_SOURCE_FILE_H

#include "model/source.h"

#define SOURCE_DIRS_MAX 16

struct source_options {
	const char *source_dirs[SOURCE_DIRS_MAX];	/* tried in order, before the path itself */
	size_t source_dir_count;
	bool only_public, own_too;
};

/*
 * Sets the bytes and lines of @text. If the file cannot be read, sets the reason (text->why)
 * instead. The caller has set @text->file. Returns 0, even if there is no such file, or -ENOMEM.
 */
int source_file_read(const char *path, const struct source_options *options,
		     struct source_text *text);

#endif
