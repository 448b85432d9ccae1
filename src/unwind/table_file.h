/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_file.h - an unwind table as a file
 *
 * The file has a header, the rules and the rows, with the same layout as in memory. The layout may
 * be that of one machine and program, because the file belongs to a cache of this machine, and the
 * program that reads the file also wrote it. No conversion is needed, so reading takes only about a
 * tenth of the time of building (docs/benchmarks.md). A file is accepted only if the checksum over
 * all its contents matches and every number is valid in a table. After that, a walk does not check
 * the table again.
 *
 * Change TABLE_FILE_VERSION if the layout of rules or rows changes, or if tables are built
 * differently.
 */
#ifndef ASSAY_UNWIND_TABLE_FILE_H
#define ASSAY_UNWIND_TABLE_FILE_H

#include <stdint.h>

#include "unwind/unwind_table.h"

#define TABLE_FILE_MAGIC "assayunw"
#define TABLE_FILE_VERSION 9u

/* The header, in the host's byte order. */
struct table_file_header {
	char magic[8];
	uint32_t version;
	uint32_t build_id_size;
	uint8_t build_id[24];		/* zeros after the end of the build-id */
	uint64_t base_vaddr;
	uint32_t row_count, rule_count;
	uint32_t fde_count, damaged_count, unsupported_rows, far_count;
	/* XXH3 of the header (with 0 in this field), the rules and the rows */
	uint64_t checksum;
};

_Static_assert(sizeof(struct table_file_header) == 80, "struct table_file_header is a file layout");

/* An image's build-id, which identifies the image's table. Has at least one byte. */
struct table_id {
	const uint8_t *bytes;
	size_t size_bytes;		/* at most IMAGE_BUILD_ID_MAX */
};

uint64_t table_file_size(const struct unwind_table *table);

/*
 * Writes the table to @fd, which must be at the start of an empty file. Returns 0 or an error of
 * write(2).
 */
int table_file_write(int fd, const struct table_id *id, const struct unwind_table *table);

/*
 * Reads a table from the regular file @fd. Returns 0, -EBADMSG if the file is damaged or is not a
 * table of the image @id, -ENOMEM, or an error of read(2). On failure *@ret_table is not written.
 */
int table_file_read(int fd, const struct table_id *id, struct unwind_table *ret_table);

#endif
