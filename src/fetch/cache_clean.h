/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_clean.h - removes old files from the cache
 *
 * libdebuginfod removes debug files and programs that were not used for a week. It does not remove
 * sections, nor the incomplete files of a client that was killed, so both would stay forever.
 * cache_clean() removes:
 *   - sections not used for the time in the cache's own file max_unused_age_s (default: a week)
 *   - incomplete files that were not written to for an hour
 * Only files with the names of such files are removed, only in directories named like a build-id
 * and, for the program's own incomplete files, in the top directory.
 *
 * The directory may belong to another, untrusted user. Therefore symbolic links are not followed,
 * only names and times are used, and the number of directory entries is limited.
 */
#ifndef ASSAY_FETCH_CACHE_CLEAN_H
#define ASSAY_FETCH_CACHE_CLEAN_H

/* Failures to remove a file are ignored; the next call tries again. */
void cache_clean(int cache_fd);

#endif
