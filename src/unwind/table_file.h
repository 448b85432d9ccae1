/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_file.h - an unwind table as a file
 *
 * A header, the rules, the rows, as they lie in memory: the file belongs to a cache of this
 * machine, is read by the program that wrote it, and a table that is built in 80 ms must come back
 * in one.  What is read is believed only as a whole (the checksum covers everything) and only when
 * each number in it is one that a table can have, because a walk checks nothing any more.
 *
 * Change TABLE_FILE_VERSION with the layout of rules and rows, and with what tables are made of.
 */
#ifndef ASSAY_UNWIND_TABLE_FILE_H
#define ASSAY_UNWIND_TABLE_FILE_H

#include <stdint.h>

#include "unwind/table.h"

#define TABLE_FILE_MAGIC "assayunw"
#define TABLE_FILE_VERSION 7u

/* In the host's byte order. */
struct table_file_header {
	char magic[8];
	uint32_t version;
	uint32_t build_id_size;
	uint8_t build_id[24];		/* the rest is zeros */
	uint64_t base_vaddr;
	uint32_t row_count, rule_count;
	uint32_t fde_count, damaged_count, unsupported_rows, far_count;
	uint64_t checksum;		/* XXH3 of header (with 0 here), rules and rows */
};

_Static_assert(sizeof(struct table_file_header) == 80, "struct table_file_header is a file layout");

/* The build-id of an image, the name of its table; at least one byte. */
struct table_id {
	const uint8_t *bytes;
	size_t size_bytes;		/* <= IMAGE_BUILD_ID_MAX */
};

uint64_t table_file_size(const struct unwind_table *table);

/* Writes all of it at the start of @fd: 0 or an error of write(2). */
int table_file_write(int fd, const struct table_id *id, const struct unwind_table *table);

/*
 * Reads all of @fd, a regular file: 0, -EBADMSG for what is no table of this image or a damaged
 * one, -ENOMEM, or an error of read(2). On failure *ret_table is not written.
 */
int table_file_read(int fd, const struct table_id *id, struct unwind_table *ret_table);

#endif
