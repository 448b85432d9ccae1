/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_access.h - the debug files of an image, for jobs of readers (readers/readers.h)
 *
 * A reader opens no files. It asks the session by path, and the session refuses what cannot be a
 * debug file of the image. In a request, the places are: string directory of the image or "", u32
 * count, and as many strings: directories with debug files.
 */
#ifndef ASSAY_SYMBOLIZE_DEBUG_ACCESS_H
#define ASSAY_SYMBOLIZE_DEBUG_ACCESS_H

#include <limits.h>

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "elf/debug_source.h"
#include "elf/file_opener.h"
#include "readers/readers.h"

#define DEBUG_ACCESS_DIRS 64u

/* ---- in the session ---- */

struct debug_access {
	const char *const *dirs;	/* NULL-terminated; borrowed */
	char image_dir[PATH_MAX];	/* "": unknown */
	struct file_opener *opener;	/* NULL: this process opens the files; borrowed */
};

/* Allows the debug files of the image @fd that are below @dirs (NULL: the default) or beside it. */
void debug_access_init(struct debug_access *access, int fd, const char *const *dirs,
		       struct file_opener *opener);
void debug_access_write(const struct debug_access *access, struct byte_writer *w);

/* For struct reader_files.open, with a struct debug_access. */
int debug_access_open(void *context, const char *path);

/*
 * Returns true if a reader may have the file at @path, because a debug file of the image can be
 * there: below one of @dirs, or in @image_dir ("": unknown) or its .debug. The reader makes the
 * path from what is in the image, so it could be any path.
 */
bool debug_access_allows(const char *const *dirs, const char *image_dir, const char *path);

/*
 * Runs a job for the image @fd, whose request is the places of its debug files, then @rest. Returns
 * 0, -ENOMEM also if @rest has failed, or an error of readers_ask_all().
 */
int debug_access_ask(struct readers *readers, const struct reader_job *job, int fd,
		     const struct byte_writer *rest, uint64_t bytes_max, uint8_t **ret_bytes,
		     size_t *ret_size_bytes);

/* ---- in the reader ---- */

/* What a request says. The texts are those of the request. */
struct debug_request {
	const char *image_dir;		/* NULL: unknown */
	const char *dirs[DEBUG_ACCESS_DIRS + 1];
};

/* Returns false if the request is wrong. */
bool debug_request_read(struct byte_reader *r, struct debug_request *ret_request);

/* Returns where to look, with reader_open() to open what is there. */
struct debug_places debug_request_places(const struct debug_request *request);

#endif
