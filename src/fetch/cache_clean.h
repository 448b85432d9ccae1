/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_clean.h - removes old files from the cache of debug information
 *
 * libdebuginfod removes debug files and programs from its cache if they were not used for a week.
 * It does not remove sections (files with a single ELF section that it fetched). It also does not
 * remove the incomplete files of a client process that was killed. Both would stay forever.
 * cache_clean() removes:
 *   - sections not used for the time in the cache's own file max_unused_age_s (default: a week)
 *   - incomplete files that were not written to for an hour
 * A file is removed only if it has the name of a section or of an incomplete file, and if the name
 * of its directory looks like a build-id. Assay's own incomplete files are also removed from the
 * top directory.
 *
 * The cache directory may belong to another, untrusted user. Therefore symbolic links are not
 * followed, decisions depend only on names and times, and the number of directory entries is
 * limited.
 */
#ifndef ASSAY_FETCH_CACHE_CLEAN_H
#define ASSAY_FETCH_CACHE_CLEAN_H

/*
 * Cleans the cache at @cache_fd. If a file cannot be removed, the error is ignored; the next call
 * tries again.
 */
void cache_clean(int cache_fd);

#endif
