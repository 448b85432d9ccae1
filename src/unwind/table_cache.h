/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_cache.h - unwind tables on disk, by build-id
 *
 * All images of a machine take seconds to read and a few hundred megabytes to keep; the same
 * images come back with each run.  The cache is a directory of one file per image.
 *
 * What is in it decides how stacks are walked, so nobody else may write there: the directory must
 * be the caller's own (its effective user's) and closed to the writing of others, and so must each
 * file be.  Still no file is trusted further than table_file.h says; one that is damaged or of
 * another version is removed and counts as absent.  Files appear whole (written under another name
 * and renamed), so any number of processes may use one directory.
 *
 * Nothing else is ever removed but what has the names that are made here: when the files take
 * more than the limit, those that were used the longest time ago, down to nine tenths of it.
 */
#ifndef ASSAY_UNWIND_TABLE_CACHE_H
#define ASSAY_UNWIND_TABLE_CACHE_H

#include "unwind/table_file.h"

struct table_cache {
	int dir_fd;		/* owned; -1: closed, nothing is found or stored */
	uint64_t limit_bytes;
	uint64_t size_bytes;	/* of all files, when last looked at, and what was stored since */
};

#define TABLE_CACHE_CLOSED { .dir_fd = -1 }

/*
 * Opens directory @path, made with mode 0700 if it is not there (its parent must be).  -EPERM for
 * one that somebody else owns or may write to; -ENOTDIR also for a symbolic link; or an error of
 * open(2).  On failure the cache is closed, which is no obstacle to using it.
 */
int table_cache_open(const char *path, uint64_t limit_bytes, struct table_cache *ret_cache,
		     struct err *err);
void table_cache_close(struct table_cache *cache);

/* 1 when it is there, else 0, or -ENOMEM; *ret_table is written for 1 only. */
int table_cache_load(const struct table_cache *cache, const struct table_id *id,
		     struct unwind_table *ret_table);

/* 0 also when it is too large to be kept. An error leaves the cache as it was. */
int table_cache_store(struct table_cache *cache, const struct table_id *id,
		      const struct unwind_table *table, struct err *err);

#endif
