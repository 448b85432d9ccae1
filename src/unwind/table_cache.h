/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_cache.h - unwind tables on disk, by build-id
 *
 * Building the tables of all images of a machine takes seconds and some hundred megabytes of disk
 * space, and each run needs the same images again. The cache is a directory with one file for each
 * image.
 *
 * The files determine how stacks are walked, so no other user may be able to write to them. The
 * directory must belong to the caller's effective user and must not be writable by others. The same
 * holds for each file. Still, a file is trusted only as far as table_file.h describes. A file that
 * is damaged or has another version is removed and treated as absent. A file is written under a
 * temporary name and then renamed, so readers never see a partial file and any number of processes
 * may share one directory.
 *
 * If the files take more than the limit, the least recently used ones are removed until the size is
 * nine tenths of the limit. Only files whose names have the form that this cache creates are ever
 * removed.
 */
#ifndef ASSAY_UNWIND_TABLE_CACHE_H
#define ASSAY_UNWIND_TABLE_CACHE_H

#include "unwind/table_file.h"

struct table_cache {
	int dir_fd;		/* owned; -1: closed, loads find nothing and stores do nothing */
	uint64_t limit_bytes;
	/* all files at the last scan of the directory, plus the files stored since then */
	uint64_t size_bytes;
};

#define TABLE_CACHE_CLOSED { .dir_fd = -1 }

/*
 * Opens the directory @path. Creates it with mode 0700 if it does not exist; its parent must exist.
 * Returns -EPERM if another user owns it or may write to it, -ENOTDIR also for a symbolic link, or
 * an error of open(2). On failure the cache is closed; a closed cache can still be used, but is
 * always empty.
 */
int table_cache_open(const char *path, uint64_t limit_bytes, struct table_cache *ret_cache,
		     struct err *err);
void table_cache_close(struct table_cache *cache);

/*
 * Returns 1 and writes *@ret_table if the cache has the table. Otherwise returns 0 or -ENOMEM and
 * does not write *@ret_table.
 */
int table_cache_load(const struct table_cache *cache, const struct table_id *id,
		     struct unwind_table *ret_table);

/* Returns 0 even if the table is too large to be stored. An error leaves the cache unchanged. */
int table_cache_store(struct table_cache *cache, const struct table_id *id,
		      const struct unwind_table *table, struct err *err);

#endif
