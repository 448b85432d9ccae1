/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small_file.h - one value out of /proc/sys, /sys or tracefs
 *
 * Files of the kernel that hold a line: read whole into the caller's buffer, bounded, NUL-
 * terminated, white space at the end taken off.  What is longer than the buffer is -EFBIG, not
 * cut: half a value is a wrong value.
 */
#ifndef ASSAY_BASE_SMALL_FILE_H
#define ASSAY_BASE_SMALL_FILE_H

#include <stddef.h>
#include <stdint.h>

/* 0 or a negative errno. */
int small_file_read(const char *path, char *ret_text, size_t text_bytes);

/* The decimal number that the file holds, or -EINVAL. */
int small_file_number(const char *path, int64_t *ret_number);

#endif
