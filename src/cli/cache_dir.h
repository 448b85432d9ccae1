/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache_dir.h - the directory for files that are kept between runs */
#ifndef ASSAY_CLI_CACHE_DIR_H
#define ASSAY_CLI_CACHE_DIR_H

#include <stddef.h>

/*
 * Writes the directory's name to @path and returns @path. The directory is $XDG_CACHE_HOME/assay,
 * or .cache/assay in the home directory by default; the caller creates it. Returns NULL if there is
 * no such place or if it belongs to another user, because assay should not leave files there (sudo
 * may keep the invoking user's HOME).
 */
const char *cache_dir(char *path, size_t size_bytes);

#endif
