/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gunzip.h - decompress a gzip file while it is read
 *
 * A file may consist of several gzip members in a row; gzip itself accepts such files too. Memory
 * use does not grow with the file. One compressed byte can expand to about a thousand bytes, so
 * callers must be able to skip large amounts of output.
 */
#ifndef ASSAY_IMPORT_GUNZIP_H
#define ASSAY_IMPORT_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GUNZIP_HEAD_BYTES 3u

struct gunzip;

/* Returns true if @head is the beginning of a gzip file. */
bool gunzip_begins(const uint8_t *head, size_t size_bytes);

/* @head is the beginning of the file, which the caller has already read. Returns 0 or -ENOMEM. */
int gunzip_new(const uint8_t *head, size_t size_bytes, struct gunzip **ret_gunzip);
void gunzip_free(struct gunzip *gunzip);	/* @gunzip may be NULL */

/*
 * Reads from @fd and stores up to @room_bytes of decompressed data in @bytes. Returns the number of
 * bytes stored, 0 at the end, or the error of read(2).
 */
ssize_t gunzip_read(struct gunzip *gunzip, int fd, uint8_t *bytes, size_t room_bytes);

/* Returns true if the data was not valid gzip data or ended within a member. */
bool gunzip_is_damaged(const struct gunzip *gunzip);

/* Returns the number of compressed bytes read so far. */
uint64_t gunzip_taken(const struct gunzip *gunzip);

#endif
