/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_path.h - refuses output paths that another user has prepared
 *
 * In a directory where others may write, such as /tmp, another user can create a symbolic link so
 * that a command of root overwrites what it leads to, or a file so that this user can read what the
 * command writes. Linux prevents this only if fs.protected_symlinks and fs.protected_regular are
 * set.
 */
#ifndef ASSAY_CLI_OUTPUT_PATH_H
#define ASSAY_CLI_OUTPUT_PATH_H

#include "base/err.h"

/*
 * Returns 0, or -EPERM with a message if others than its owner may write in the directory of @path,
 * and @path is a file or a symbolic link that belongs neither to this user nor to the owner of the
 * directory.
 */
int output_path_check(const char *path, struct err *err);

#endif
