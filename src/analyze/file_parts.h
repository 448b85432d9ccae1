/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_parts.h - decides how much of a source file's path to show
 *
 * "/src/a/util.c" and "/src/b/util.c" are shown as "a/util.c" and "b/util.c". If there is only one
 * "main.c", it is shown as "main.c". All files with the same name are shown with the same number of
 * trailing path components.
 *
 * When two recordings are compared, the number of components is computed for the files of each
 * recording separately. So a source file is recognized even if the two programs were built in
 * different directories. But if a directory is needed to distinguish two files of one recording,
 * the directory is shown for both recordings.
 */
#ifndef ASSAY_ANALYZE_FILE_PARTS_H
#define ASSAY_ANALYZE_FILE_PARTS_H

#include "analyze/group.h"

struct file_parts_entry {
	const char *path;	/* borrowed */
	size_t parts;
};

struct file_parts {
	VEC(struct file_parts_entry) list;
	/*
	 * number of entries that file_parts_settle() has finished. They come first, are sorted by
	 * file name, and no two have the same file name.
	 */
	size_t settled;
};

/*
 * Adds a file to the set for which the next file_parts_settle() computes the number of components.
 * Returns 0 or -ENOMEM.
 */
int file_parts_add(struct file_parts *parts, const char *path);
void file_parts_settle(struct file_parts *parts);
void file_parts_fini(struct file_parts *parts);

/* Returns the part of @path to show. The result points into @path. */
const char *file_parts_tail(const struct file_parts *parts, const char *path);

/* Adds the file of a BY_LINE key, if the key has a file. Returns 0 or -ENOMEM. */
int file_parts_add_line(struct file_parts *parts, const struct profile *profile, uint64_t key);

/* Like group_label() for a BY_LINE key, but with as many path components as needed. */
void file_parts_label(const struct file_parts *parts, const struct profile *profile, uint64_t key,
		      char *text, size_t size_bytes);

#endif
