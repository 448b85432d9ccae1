/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/table_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/write_all.h"
#include "unwind/rule_set.h"

static uint64_t rules_size(uint64_t count)
{
	return count * sizeof(struct unwind_rule);
}

static uint64_t rows_size(uint64_t count)
{
	return count * sizeof(struct unwind_row);
}

uint64_t table_file_size(const struct unwind_table *table)
{
	return sizeof(struct table_file_header) + rules_size(table->rules.count) +
	       rows_size(table->rows.count);
}

static uint64_t checksum(const struct table_file_header *header, const struct unwind_table *table)
{
	struct table_file_header zeroed = *header;
	uint64_t hash;

	zeroed.checksum = 0;
	hash = XXH3_64bits(&zeroed, sizeof(zeroed));
	hash = XXH3_64bits_withSeed(table->rules.at, rules_size(table->rules.count), hash);
	return XXH3_64bits_withSeed(table->rows.at, rows_size(table->rows.count), hash);
}

static struct table_file_header header_of(const struct table_id *id,
					  const struct unwind_table *table)
{
	struct table_file_header header = {
		.version = TABLE_FILE_VERSION,
		.build_id_size = (uint32_t)id->size_bytes,
		.base_vaddr = table->base_vaddr,
		.row_count = (uint32_t)table->rows.count,
		.rule_count = (uint32_t)table->rules.count,
		.fde_count = table->fde_count,
		.damaged_count = table->damaged_count,
		.unsupported_rows = table->unsupported_rows,
		.far_count = table->far_count,
	};

	memcpy(header.magic, TABLE_FILE_MAGIC, sizeof(header.magic));
	memcpy(header.build_id, id->bytes, id->size_bytes);
	header.checksum = checksum(&header, table);
	return header;
}

int table_file_write(int fd, const struct table_id *id, const struct unwind_table *table)
{
	struct table_file_header header = header_of(id, table);
	int rc = write_all(fd, &header, sizeof(header));

	if (rc < 0)
		return rc;
	rc = write_all(fd, table->rules.at, rules_size(table->rules.count));
	if (rc < 0)
		return rc;
	return write_all(fd, table->rows.at, rows_size(table->rows.count));
}

/*
 * Returns true if @header is valid for a file that has @size_bytes bytes and contains the table of
 * the image @id.
 */
static bool header_fits(const struct table_file_header *header, const struct table_id *id,
			uint64_t size_bytes)
{
	return memcmp(header->magic, TABLE_FILE_MAGIC, sizeof(header->magic)) == 0 &&
	       header->version == TABLE_FILE_VERSION && header->build_id_size == id->size_bytes &&
	       memcmp(header->build_id, id->bytes, id->size_bytes) == 0 &&
	       header->rule_count > RULE_UNSUPPORTED && header->rule_count <= UNWIND_RULES_MAX &&
	       header->row_count <= UNWIND_ROWS_MAX &&
	       size_bytes == sizeof(*header) + rules_size(header->rule_count) +
				     rows_size(header->row_count);
}

static bool rules_are_sound(const struct unwind_table *table)
{
	for (size_t i = 0; i < table->rules.count; i++) {
		const struct unwind_rule *rule = &table->rules.at[i];

		if (rule->kind >= UNWIND_KIND_COUNT || rule->cfa_base > UNWIND_BASE_KEPT ||
		    rule->fp_base >= UNWIND_BASE_EXTRA || rule->ra_base >= UNWIND_BASE_EXTRA)
			return false;
	}
	return table->rules.at[RULE_GAP].kind == UNWIND_GAP &&
	       table->rules.at[RULE_UNSUPPORTED].kind == UNWIND_UNSUPPORTED;
}

/*
 * Returns true if all rows are valid. The loops have no early exit, so that the compiler can
 * vectorize them.
 */
static bool rows_are_sound(const struct unwind_table *table)
{
	const struct unwind_row *rows = table->rows.at;
	unsigned int bad = 0;

	for (size_t i = 0; i < table->rows.count; i++)
		bad |= (rows[i].rule >= table->rules.count) | (rows[i].unused != 0);
	for (size_t i = 1; i < table->rows.count; i++)
		bad |= rows[i].offset <= rows[i - 1].offset;
	return bad == 0;
}

/*
 * Reads the rules and rows. Returns 0, -EBADMSG if the file was shortened after its size was
 * checked, or an error of read(2).
 */
static int read_arrays(int fd, const struct unwind_table *table)
{
	struct iovec parts[] = {
		{ table->rules.at, rules_size(table->rules.count) },
		{ table->rows.at, rows_size(table->rows.count) },
	};
	ssize_t n = preadv(fd, parts, 2, sizeof(struct table_file_header));

	if (n < 0)
		return -errno;
	return (size_t)n == parts[0].iov_len + parts[1].iov_len ? 0 : -EBADMSG;
}

static int read_table(int fd, const struct table_file_header *header, struct unwind_table *table)
{
	int rc;

	if (vec_reserve(&table->rules, header->rule_count) < 0 ||
	    vec_reserve(&table->rows, header->row_count) < 0)
		return -ENOMEM;
	table->rules.count = header->rule_count;
	table->rows.count = header->row_count;
	table->base_vaddr = header->base_vaddr;
	table->fde_count = header->fde_count;
	table->damaged_count = header->damaged_count;
	table->unsupported_rows = header->unsupported_rows;
	table->far_count = header->far_count;
	rc = read_arrays(fd, table);
	if (rc < 0)
		return rc;
	return checksum(header, table) == header->checksum && rules_are_sound(table) &&
			       rows_are_sound(table)
		       ? 0
		       : -EBADMSG;
}

int table_file_read(int fd, const struct table_id *id, struct unwind_table *ret_table)
{
	struct unwind_table table = { 0 };
	struct table_file_header header;
	struct stat st;
	ssize_t n;
	int rc;

	if (fstat(fd, &st) < 0)
		return -errno;
	n = pread(fd, &header, sizeof(header), 0);
	if (n < 0)
		return -errno;
	if (n != sizeof(header) || !header_fits(&header, id, (uint64_t)st.st_size))
		return -EBADMSG;
	rc = read_table(fd, &header, &table);
	if (rc < 0)
		unwind_table_fini(&table);
	else
		*ret_table = table;
	return rc;
}
