/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_parts.h - how much of their paths tells source files of one name apart
 *
 * "/src/a/util.c" and "/src/b/util.c" are shown as "a/util.c" and "b/util.c", while "main.c" that
 * is the only one of its name needs no more.  All files of a name have as many trailing parts.
 *
 * Of two recordings each set of files is settled by itself: what was built in another folder
 * stays the same file, but a file that one of them tells from others by its folder has that
 * folder in both.
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
	size_t settled;		/* of them; those are one for each name, by name */
};

/* A file of the set that is settled next. 0 or -ENOMEM. */
int file_parts_add(struct file_parts *parts, const char *path);
void file_parts_settle(struct file_parts *parts);
void file_parts_fini(struct file_parts *parts);

/* The end of @path. */
const char *file_parts_tail(const struct file_parts *parts, const char *path);

/* Adds the file of a key of BY_LINE, if it has one. 0 or -ENOMEM. */
int file_parts_add_line(struct file_parts *parts, const struct profile *profile, uint64_t key);

/* group_label() of a key of BY_LINE, with as much of the path as it takes. */
void file_parts_label(const struct file_parts *parts, const struct profile *profile, uint64_t key,
		      char *text, size_t size_bytes);

#endif
