/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/cut.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/nameless_file.h"
#include "base/write_all.h"
#include "model/loss.h"
#include "store/database.h"
#include "store/distrust.h"
#include "store/leaf_pages.h"
#include "store/recording-private.h"
#include "store/schema.h"

#define HEADER_BYTES 100
#define COPY_BYTES (1u << 20)
#define ROOTS_MAX 64	/* the first pages of all tables are among so many pages */
/* Rows may add up to this many times the size of the file, as SQLite stores numbers in short. */
#define VALUES_PER_BYTE 8
#define VALUES_FREE (1 << 20)

DEFINE_CLEANUP(sqlite3, sqlite3_close);

/* ---- the header: https://www.sqlite.org/fileformat.html, section 1.3 ---- */

static uint32_t u32_at(const uint8_t *header, size_t at)
{
	uint32_t value;

	memcpy(&value, header + at, sizeof(value));
	return be32toh(value);
}

static void put_u32(uint8_t *header, size_t at, uint32_t value)
{
	value = htobe32(value);
	memcpy(header + at, &value, sizeof(value));
}

bool cut_read(const char *path, struct cut *ret_cut)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uint8_t header[HEADER_BYTES];
	uint32_t page_bytes;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header, "SQLite format 3", 16) != 0 ||
	    u32_at(header, 68) != SCHEMA_APPLICATION_ID)
		return false;
	page_bytes = (uint32_t)(header[16] << 8 | header[17]);
	page_bytes = page_bytes == 1 ? 65536 : page_bytes;
	if (page_bytes < 512 || page_bytes & (page_bytes - 1) || header[20] != 0)
		return false;
	*ret_cut = (struct cut){
		.have_bytes = (uint64_t)st.st_size,
		.want_bytes = (uint64_t)page_bytes * u32_at(header, 28),
		.page_bytes = page_bytes,
	};
	/* The number of pages is valid only if these two counters are equal. */
	return u32_at(header, 24) == u32_at(header, 92);
}

int cut_err(const char *path, const struct cut *cut, const char *more, struct err *err)
{
	if (!cut_is_short(cut))
		return err_set(err, -EINVAL, "%s is damaged%s", path, more);
	return err_set(err, -EINVAL, "%s is cut: only %" PRIu64 " of %" PRIu64 " bytes are there%s",
		       path, cut->have_bytes, cut->want_bytes, more);
}

/* ---- a copy of the whole pages ---- */

static int copy_bytes(int from, int to, uint64_t size_bytes)
{
	_cleanup_free_ uint8_t *bytes = malloc(COPY_BYTES);

	if (!bytes)
		return -ENOMEM;
	while (size_bytes) {
		ssize_t n = read(from, bytes, size_bytes < COPY_BYTES ? size_bytes : COPY_BYTES);
		int rc;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		rc = write_all(to, bytes, (size_t)n);
		if (rc < 0)
			return rc;
		size_bytes -= (size_t)n;
	}
	return 0;
}

/*
 * Makes the header name the pages that are there, no free pages and no journal. SQLite refuses a
 * schema that names a page beyond the end, so missing first pages of tables become pages of zeros,
 * which SQLite refuses only when it reads the table.
 */
static int repair_header(int fd, const struct leaf_pages *pages)
{
	uint32_t page_count = pages->page_count < ROOTS_MAX ? ROOTS_MAX : pages->page_count;
	uint8_t header[HEADER_BYTES];

	if (ftruncate(fd, (off_t)page_count * pages->page_bytes) < 0)
		return -errno;
	if (pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return -EIO;
	header[18] = header[19] = 1;
	put_u32(header, 28, page_count);
	put_u32(header, 32, 0);
	put_u32(header, 36, 0);
	return pwrite(fd, header, sizeof(header), 0) == (ssize_t)sizeof(header) ? 0 : -EIO;
}

#define COPY_NAME NAMELESS_FILE_DIRECTORY NAMELESS_FILE_PATTERN

/*
 * Returns a descriptor of the copy, or a negative errno. SQLite can open files only by name, so the
 * copy has one, which the caller removes.
 */
static int copy_pages(const char *path, const struct leaf_pages *pages, char *name)
{
	_cleanup_close_ int from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), to = -1;
	int rc;

	if (from < 0)
		return -errno;
	to = mkostemp(name, O_CLOEXEC);
	if (to < 0)
		return -errno;
	rc = copy_bytes(from, to, (uint64_t)pages->page_count * pages->page_bytes);
	if (rc == 0)
		rc = repair_header(to, pages);
	if (rc < 0)
		(void)unlink(name);
	return rc < 0 ? rc : TAKE_FD(to);
}

/* ---- rows ---- */

struct salvage {
	sqlite3 *from, *to;
	struct leaf_pages pages;
	int64_t bytes_left;
	uint64_t broken_tables, altered_tables, damaged_blocks, samples;
	sqlite3_stmt *insert_block;
};

/* The columns that both databases have, as "a,b" and "?,?". The caller frees both texts. */
struct columns {
	char *names, *parameters;
	int count;
};

static void columns_fini(struct columns *columns)
{
	sqlite3_free(columns->names);
	sqlite3_free(columns->parameters);
}

static struct columns columns_of(const struct salvage *salvage, const char *table)
{
	_cleanup_statement_ sqlite3_stmt *query = NULL;
	sqlite3_str *names = sqlite3_str_new(NULL), *parameters = sqlite3_str_new(NULL);
	struct columns columns = { 0 };

	if (sqlite3_prepare_v2(salvage->to, "SELECT name FROM pragma_table_info(?1)", -1, &query,
			       NULL) == SQLITE_OK)
		(void)sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC);
	while (query && sqlite3_step(query) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(query, 0);

		if (!name || sqlite3_table_column_metadata(salvage->from, "main", table, name, NULL,
							   NULL, NULL, NULL, NULL) != SQLITE_OK)
			continue;
		sqlite3_str_appendf(names, "%s%s", columns.count ? "," : "", name);
		sqlite3_str_appendall(parameters, columns.count ? ",?" : "?");
		columns.count++;
	}
	columns.names = sqlite3_str_finish(names);
	columns.parameters = sqlite3_str_finish(parameters);
	return columns;
}

/* Prepares @sql, which sqlite3_mprintf() returned, and frees it. Returns NULL on failure. */
static sqlite3_stmt *prepare_printed(sqlite3 *db, char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (sql)
		(void)sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	sqlite3_free(sql);
	return statement;
}

static int64_t value_bytes(sqlite3_stmt *select, int column)
{
	int type = sqlite3_column_type(select, column);

	return type == SQLITE_TEXT || type == SQLITE_BLOB ? 1 + sqlite3_column_bytes(select, column)
							  : 1;
}

/* Copies rows until the end, or up to the first row that cannot be read or written. */
static int copy_rows(struct salvage *salvage, sqlite3_stmt *select, sqlite3_stmt *insert, int count)
{
	int code;

	if (!select || !insert)
		return SQLITE_CORRUPT;
	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		for (int i = 0; i < count; i++) {
			salvage->bytes_left -= value_bytes(select, i);
			(void)sqlite3_bind_value(insert, i + 1, sqlite3_column_value(select, i));
		}
		if (salvage->bytes_left < 0)
			return SQLITE_CORRUPT;
		code = sqlite3_step(insert);
		(void)sqlite3_reset(insert);
		if (code != SQLITE_DONE)
			return code;
	}
	return code;
}

/*
 * If a page in the middle is missing, also reads the table from its end: its last rows may be in a
 * page that was written early.
 */
static void copy_table(struct salvage *salvage, const char *table)
{
	_cleanup_(columns_fini) struct columns columns = columns_of(salvage, table);
	_cleanup_statement_ sqlite3_stmt *forward = NULL, *backward = NULL, *insert = NULL;

	if (!columns.count)
		return;
	insert = prepare_printed(salvage->to,
				 sqlite3_mprintf("INSERT OR IGNORE INTO %s(%s) VALUES(%s)", table,
						 columns.names, columns.parameters));
	forward = prepare_printed(salvage->from,
				  sqlite3_mprintf("SELECT %s FROM %s", columns.names, table));
	if (copy_rows(salvage, forward, insert, columns.count) == SQLITE_DONE)
		return;
	salvage->broken_tables++;
	backward = prepare_printed(salvage->from,
				   sqlite3_mprintf("SELECT %s FROM %s ORDER BY 1 DESC",
						   columns.names, table));
	(void)copy_rows(salvage, backward, insert, columns.count);
}

static int add_block(void *context, const struct leaf_block *block)
{
	struct salvage *salvage = context;
	const struct block_header *header = &block->header;
	sqlite3_stmt *insert = salvage->insert_block;
	bool has_times = header->kind == BLOCK_SAMPLE;
	int code;

	(void)sqlite3_bind_int64(insert, 1, block->id);
	(void)sqlite3_bind_text(insert, 2, block_kind_name(header->kind), -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(insert, 3, (sqlite3_int64)header->first);
	(void)sqlite3_bind_int64(insert, 4, header->count);
	if (has_times) {
		(void)sqlite3_bind_int64(insert, 5, (sqlite3_int64)header->time_min_ns);
		(void)sqlite3_bind_int64(insert, 6, (sqlite3_int64)header->time_max_ns);
	} else {
		(void)sqlite3_bind_null(insert, 5);
		(void)sqlite3_bind_null(insert, 6);
	}
	(void)sqlite3_bind_int64(insert, 7, (sqlite3_int64)block->checksum);
	(void)sqlite3_bind_blob64(insert, 8, block->data, block->size_bytes, SQLITE_STATIC);
	code = sqlite3_step(insert);
	(void)sqlite3_reset(insert);
	salvage->samples += has_times ? header->count : 0;
	return code == SQLITE_DONE ? 0 : -EIO;
}

static int copy_blocks(struct salvage *salvage)
{
	int rc;

	salvage->insert_block = prepare_printed(
		salvage->to,
		sqlite3_mprintf("INSERT OR REPLACE INTO block VALUES(?,?,?,?,?,?,?,?)"));
	rc = salvage->insert_block ? leaf_pages_each_block(&salvage->pages, add_block, salvage,
							   &salvage->damaged_blocks)
				   : -ENOMEM;
	(void)sqlite3_finalize(salvage->insert_block);
	return rc;
}

/* ---- losses ---- */

static int add_loss(sqlite3 *db, enum loss reason, uint64_t count)
{
	_cleanup_statement_ sqlite3_stmt *insert = NULL;

	if (!count)
		return 0;
	if (sqlite3_prepare_v2(db,
			       "INSERT INTO loss VALUES(?1, ?2, ?3, ?4) ON CONFLICT(reason)"
			       " DO UPDATE SET count = count + excluded.count",
			       -1, &insert, NULL) != SQLITE_OK)
		return -EIO;
	(void)sqlite3_bind_text(insert, 1, loss_name(reason), -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(insert, 2, (sqlite3_int64)count);
	(void)sqlite3_bind_text(insert, 3, loss_unit(reason), -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(insert, 4, loss_meaning(reason), -1, SQLITE_STATIC);
	return sqlite3_step(insert) == SQLITE_DONE ? 0 : -EIO;
}

static int add_losses(const struct salvage *salvage, const struct cut *cut)
{
	bool is_short = cut_is_short(cut);
	uint64_t missing_bytes = is_short ? cut->want_bytes - cut->have_bytes : 0;

	/* In a file of full length, the tree of blocks is what is broken. */
	if (add_loss(salvage->to, LOSS_RECORDING_CUT, missing_bytes) < 0 ||
	    add_loss(salvage->to, LOSS_ROW_DAMAGED, salvage->broken_tables + !is_short) < 0 ||
	    add_loss(salvage->to, LOSS_TABLE_ALTERED, salvage->altered_tables) < 0)
		return -EIO;
	return add_loss(salvage->to, LOSS_BLOCK_DAMAGED, salvage->damaged_blocks);
}

/* ---- everything ---- */

/* Totals are not copied, because the samples that they count are not complete. */
static int copy_all(struct salvage *salvage, const struct cut *cut)
{
	struct seals seals;
	int rc;

	seals_read(salvage->from, false, &seals);
	for (int id = 0; id < SEAL_HIT; id++) {
		if (id == SEAL_BLOCK || id == SEAL_CONTEXT)
			continue;
		copy_table(salvage, seal_name((enum seal_id)id));
		if (!seals.of[id].is_there)
			continue;
		rc = seals_verify(&seals, salvage->from, (enum seal_id)id);
		if (rc < 0)
			return rc;
		salvage->altered_tables += (uint64_t)rc;
	}
	rc = copy_blocks(salvage);
	if (rc < 0)
		return rc;
	if (statement_exec(salvage->to, "DELETE FROM meta WHERE key = '" META_COMPLETE "'"))
		return -EIO;
	return add_losses(salvage, cut);
}

static int copy_into(struct salvage *salvage, const char *path, const struct cut *cut,
		     struct err *err)
{
	int rc;

	if (create_tables(salvage->to) != SQLITE_OK || statement_exec(salvage->to, "BEGIN"))
		return statement_err(salvage->to, path, "copy", err);
	rc = copy_all(salvage, cut);
	if (rc == -EIO)
		return statement_err(salvage->to, path, "copy", err);
	if (rc < 0)
		return err_sys(err, rc, "%s", path);
	if (statement_exec(salvage->to, "COMMIT"))
		return statement_err(salvage->to, path, "copy", err);
	if (!salvage->samples || !statement_integer(salvage->to, "SELECT count(*) FROM event", 0))
		return cut_err(path, cut, ", and no samples", err);
	return 0;
}

int cut_open(const char *path, const struct cut *cut, sqlite3 **ret_db, struct err *err)
{
	struct salvage salvage = {
		.pages = { .page_bytes = cut->page_bytes,
			   .page_count = (uint32_t)(cut->have_bytes / cut->page_bytes) },
		.bytes_left = VALUES_FREE + VALUES_PER_BYTE * (int64_t)cut->have_bytes,
	};
	_cleanup_(sqlite3_closep) sqlite3 *from = NULL, *to = NULL;
	_cleanup_close_ int fd = -1;
	char name[] = COPY_NAME;
	int64_t steps_left;
	int code, rc;

	if (!salvage.pages.page_count)
		return cut_err(path, cut, "", err);
	fd = copy_pages(path, &salvage.pages, name);
	if (fd < 0)
		return err_sys(err, fd, "%s is %s, and cannot be copied to %s", path,
			       cut_is_short(cut) ? "cut" : "damaged", NAMELESS_FILE_DIRECTORY);
	salvage.pages.fd = fd;
	code = database_open_copy(name, &from, &steps_left);
	(void)unlink(name);
	if (code != SQLITE_OK || database_check(from, path, NULL) < 0)
		return cut_err(path, cut, "", err);
	rc = database_open_temporary(path, &to, err);
	if (rc < 0)
		return rc;
	salvage.from = from;
	salvage.to = to;
	rc = copy_into(&salvage, path, cut, err);
	if (rc < 0)
		return rc;
	*ret_db = TAKE_PTR(to);
	return 0;
}
