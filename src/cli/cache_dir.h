/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache_dir.h - the directory for files that are kept between runs */
#ifndef ASSAY_CLI_CACHE_DIR_H
#define ASSAY_CLI_CACHE_DIR_H

#include <stddef.h>

/*
 * Writes the path of the directory to @path and returns @path. The directory is
 * $XDG_CACHE_HOME/assay or, if XDG_CACHE_HOME is not an absolute path, $HOME/.cache/assay. The
 * caller creates the last component of the path if needed. Returns NULL if the directory that the
 * variable names does not exist or does not belong to the effective user, or if the path does not
 * fit into @size_bytes. The owner is checked because with sudo, HOME may still be the home of the
 * user who called sudo, and assay must not leave root's files there.
 */
const char *cache_dir(char *path, size_t size_bytes);

#endif
