/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gunzip.h - a gzip file, unpacked as it is read
 *
 * Several members are one after the other, as gzip itself takes them.  Nothing is kept but what
 * zlib needs; a byte becomes at most some thousand, which whoever reads must be able to pass by.
 */
#ifndef ASSAY_IMPORT_GUNZIP_H
#define ASSAY_IMPORT_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GUNZIP_HEAD_BYTES 3u

struct gunzip;

/* Does a gzip file begin so? */
bool gunzip_begins(const uint8_t *head, size_t size_bytes);

/* @head was read already. 0 or -ENOMEM. */
int gunzip_new(const uint8_t *head, size_t size_bytes, struct gunzip **ret_gunzip);
void gunzip_free(struct gunzip *gunzip);	/* NULL is fine */

/* Up to @room_bytes of what is packed in @fd; 0 at its end, or the error of read(2). */
ssize_t gunzip_read(struct gunzip *gunzip, int fd, uint8_t *bytes, size_t room_bytes);

/* It ended before its end, or in something else. */
bool gunzip_is_damaged(const struct gunzip *gunzip);

#endif
