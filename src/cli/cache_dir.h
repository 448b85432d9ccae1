/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_dir.h - where files may be kept from run to run
 */
#ifndef ASSAY_CLI_CACHE_DIR_H
#define ASSAY_CLI_CACHE_DIR_H

#include <stddef.h>

/*
 * $XDG_CACHE_HOME/assay, by default in the home directory, in @path; not made yet.  NULL where
 * there is no such place, or it is another user's (sudo keeps HOME), in which nothing of ours
 * should be left.
 */
const char *cache_dir(char *path, size_t size_bytes);

#endif
