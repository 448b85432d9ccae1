/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_cache.h - unwind tables on disk, by build-id
 *
 * Each run needs the tables of the same images again, and building the tables of all images of a
 * machine takes seconds. The tables are therefore kept on disk, where they take about 200 MB. The
 * cache is a directory with one file for each image.
 *
 * The files determine how stacks are walked, so no other user may be able to write to them. The
 * directory must belong to the caller's effective user and must not be writable by others. The same
 * holds for each file. The contents of a file are checked nevertheless (table_file.h). A file that
 * is damaged or has another version is removed and treated as absent. Each file is written under a
 * temporary name and then renamed. So readers never see a partial file, and any number of processes
 * may share one directory.
 *
 * If the files need more space than the limit, the least recently used files are removed until the
 * total size is at most nine tenths of the limit. The cache never removes a file whose name does
 * not have the form that the cache creates.
 */
#ifndef ASSAY_UNWIND_TABLE_CACHE_H
#define ASSAY_UNWIND_TABLE_CACHE_H

#include "unwind/table_file.h"

#define TABLE_CACHE_BYTES_MAX (UINT64_C(256) << 20)	/* the limit for a user's cache */

struct table_cache {
	/* owned; -1: the cache is closed, so no table is found and no table is stored */
	int dir_fd;
	uint64_t limit_bytes;
	/* size of all files at the last scan of the directory, plus the files stored since then */
	uint64_t size_bytes;
};

#define TABLE_CACHE_CLOSED { .dir_fd = -1 }

/*
 * Opens the directory @path. If it does not exist, creates it with mode 0700; its parent must
 * exist. Returns 0, -EPERM if another user owns it or may write to it, -ENOTDIR if it is not a
 * directory or is a symbolic link, or an error of open(2). On failure the cache is closed. All
 * functions accept a closed cache, which is always empty.
 */
int table_cache_open(const char *path, uint64_t limit_bytes, struct table_cache *ret_cache,
		     struct err *err);
void table_cache_close(struct table_cache *cache);

/*
 * Looks up a table. If the cache has it, returns 1 and writes *@ret_table. Otherwise returns 0 or
 * -ENOMEM and does not write *@ret_table.
 */
int table_cache_load(const struct table_cache *cache, const struct table_id *id,
		     struct unwind_table *ret_table);

/*
 * Stores a table. Returns 0 or an error. Also returns 0 if the table is not stored because it is
 * too large or the cache is closed. If writing the file fails, the cache is unchanged.
 */
int table_cache_store(struct table_cache *cache, const struct table_id *id,
		      const struct unwind_table *table, struct err *err);

#endif
