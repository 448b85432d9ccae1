/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small_file.h - reads one value from /proc/sys, /sys or tracefs
 *
 * These kernel files contain one line. The whole file is copied to the caller's buffer,
 * NUL-terminated and without trailing white space. If a file does not fit in the buffer, the
 * functions return -EFBIG instead of a cut value, because half a value is a wrong value.
 */
#ifndef ASSAY_BASE_SMALL_FILE_H
#define ASSAY_BASE_SMALL_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0 or a negative errno. */
int small_file_read(const char *path, char *ret_text, size_t text_bytes);

/*
 * Reads a file that holds a decimal number. Returns 0, -EINVAL if the file holds something else, or
 * another negative errno.
 */
int small_file_number(const char *path, int64_t *ret_number);

#endif
