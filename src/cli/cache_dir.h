/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache_dir.h - the directory for files that are kept between runs */
#ifndef ASSAY_CLI_CACHE_DIR_H
#define ASSAY_CLI_CACHE_DIR_H

#include <stddef.h>

/*
 * Writes the directory's name to @path and returns @path. The directory is $XDG_CACHE_HOME/assay,
 * or by default $HOME/.cache/assay. The caller creates the directory if needed. Returns NULL if
 * neither variable names a directory, or if the directory belongs to another user. With sudo, HOME
 * may still be the home of the user who called sudo, and assay must not leave root's files there.
 */
const char *cache_dir(char *path, size_t size_bytes);

#endif
