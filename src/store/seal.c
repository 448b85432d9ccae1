/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/seal.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "store/distrust.h"
#include "store/schema.h"
#include "store/statement.h"

/*
 * Columns after the first @columns do not count, because users may add columns of their own. Tables
 * of earlier versions may have fewer.
 */
static const struct sealed {
	const char *name;
	int columns;
	const char *select;
} others[] = {
	{ "meta", 2, "SELECT key, value FROM meta ORDER BY key" },
	{ "loss", 4, "SELECT reason, count, unit, meaning FROM loss ORDER BY reason" },
	{ "ledger", 21, "SELECT * FROM ledger ORDER BY cpu" },
	{ "interrupt_time", 6, "SELECT * FROM interrupt_time ORDER BY kind, vector, cpu" },
	{ "interrupt_victim", 5, "SELECT * FROM interrupt_victim ORDER BY kind, tgid" },
	{ "command_line", 2, "SELECT process, text FROM command_line ORDER BY process" },
	{ "image_health", 3,
	  "SELECT image, outcome, count FROM image_health ORDER BY image, outcome" },
	{ "span_total", 13, "SELECT * FROM span_total ORDER BY event" },
	{ "span_bucket", 4, "SELECT * FROM span_bucket ORDER BY event, from_ns" },
	{ "span_amount", 5, "SELECT * FROM span_amount ORDER BY event, counter" },
	{ "block", 7,
	  "SELECT id, kind, first, count, time_min_ns, time_max_ns, checksum FROM block"
	  " ORDER BY id" },
	{ "string", 2, "SELECT * FROM string ORDER BY id" },
	{ "context", 2, "SELECT * FROM context ORDER BY id" },
	{ "tick", 4, "SELECT * FROM tick ORDER BY event, cpu, outcome" },
	{ "hit", 7, "SELECT * FROM hit ORDER BY application, process, event, context, function" },
	{ "hot_function", 6, "SELECT * FROM hot_function ORDER BY id" },
	{ "thread_time", 5, "SELECT * FROM thread_time ORDER BY thread, event, context" },
};

_Static_assert(sizeof(others) / sizeof(others[0]) == SEAL_COUNT - TABLE_COUNT, "a seal is missing");

static struct sealed sealed_of(enum seal_id id)
{
	const struct table *table;

	if (id >= SEAL_META)
		return others[id - SEAL_META];
	table = table_of((enum table_id)id);
	return (struct sealed){ table->name, table->columns, table->select };
}

const char *seal_name(enum seal_id id)
{
	return sealed_of(id).name;
}

const char *seal_select(enum seal_id id)
{
	return sealed_of(id).select;
}

void seal_fini(struct seal *seal)
{
	vec_free(&seal->row);
}

/* ---- rows ---- */

static int put(struct seal *seal, const void *bytes, size_t size_bytes)
{
	if (!size_bytes)
		return 0;
	if (vec_reserve(&seal->row, seal->row.count + size_bytes) < 0)
		return -ENOMEM;
	memcpy(seal->row.at + seal->row.count, bytes, size_bytes);
	seal->row.count += size_bytes;
	return 0;
}

/* A value is one byte for its type, then a 64-bit number or the size of the text that follows. */
static int put_value(struct seal *seal, sqlite3_stmt *select, int column)
{
	struct __attribute__((packed)) {
		uint8_t type;
		uint64_t number;
	} value;
	int type = sqlite3_column_type(select, column);
	const void *bytes = NULL;
	uint64_t number = 0;

	if (type == SQLITE_INTEGER) {
		number = (uint64_t)sqlite3_column_int64(select, column);
	} else if (type == SQLITE_FLOAT) {
		double real = sqlite3_column_double(select, column);

		memcpy(&number, &real, sizeof(number));
	} else if (type != SQLITE_NULL) {
		bytes = type == SQLITE_TEXT ? (const void *)sqlite3_column_text(select, column)
					    : sqlite3_column_blob(select, column);
		number = (uint64_t)sqlite3_column_bytes(select, column);
	}
	value.type = (uint8_t)type;
	value.number = htole64(number);
	if (put(seal, &value, sizeof(value)) < 0)
		return -ENOMEM;
	return bytes ? put(seal, bytes, number) : 0;
}

/* Each row is hashed with the hash of the rows before it as the seed. */
int seal_add(struct seal *seal, enum seal_id id, sqlite3_stmt *select)
{
	int columns = sealed_of(id).columns, there = sqlite3_column_count(select);

	vec_clear(&seal->row);
	for (int i = 0; i < columns && i < there; i++)
		if (put_value(seal, select, i) < 0)
			return -ENOMEM;
	seal->checksum = XXH3_64bits_withSeed(seal->row.at, seal->row.count, seal->checksum);
	seal->row_count++;
	return 0;
}

/* ---- reading ---- */

static int id_of_name(const char *name)
{
	for (int id = 0; id < SEAL_COUNT; id++)
		if (name && strcmp(name, seal_name((enum seal_id)id)) == 0)
			return id;
	return -1;
}

static void read_all(sqlite3 *db, struct seals *seals)
{
	_cleanup_statement_ sqlite3_stmt *select = NULL;

	if (sqlite3_prepare_v2(db, "SELECT name, row_count, checksum FROM sealed", -1, &select,
			       NULL) != SQLITE_OK)
		return;
	while (sqlite3_step(select) == SQLITE_ROW) {
		int id = id_of_name((const char *)sqlite3_column_text(select, 0));

		seals->is_sealed = true;
		if (id < 0)
			continue;
		seals->of[id] = (struct seal){
			.is_there = true,
			.row_count = (uint64_t)sqlite3_column_int64(select, 1),
			.checksum = (uint64_t)sqlite3_column_int64(select, 2),
		};
	}
}

void seals_read(sqlite3 *db, bool is_complete, struct seals *ret_seals)
{
	*ret_seals = (struct seals){ 0 };
	if (distrust_has_table(db, "sealed")) {
		ret_seals->is_sealed = is_complete;
		read_all(db, ret_seals);
	}
	if (!ret_seals->is_sealed)
		ret_seals->trusted = SEALS_ALL;
}

bool seals_match(struct seals *seals, enum seal_id id, const struct seal *found)
{
	const struct seal *seal = &seals->of[id];

	if (seals->is_sealed && (!seal->is_there || seal->row_count != found->row_count ||
				 seal->checksum != found->checksum))
		return false;
	seals->trusted |= SEAL_BIT(id);
	return true;
}

/* Adds all rows of a table to @seal. Returns the result of the last step, or SQLITE_NOMEM. */
static int add_rows(sqlite3 *db, enum seal_id id, struct seal *seal)
{
	_cleanup_statement_ sqlite3_stmt *select = NULL;
	int code = sqlite3_prepare_v2(db, seal_select(id), -1, &select, NULL);

	if (code != SQLITE_OK)
		return code;
	while ((code = sqlite3_step(select)) == SQLITE_ROW)
		if (seal_add(seal, id, select) < 0)
			return SQLITE_NOMEM;
	return code;
}

int seals_verify(struct seals *seals, sqlite3 *db, enum seal_id id)
{
	_cleanup_(seal_fini) struct seal found = { 0 };
	int code;

	if (!distrust_has_table(db, seal_name(id)))
		return seals->of[id].is_there;
	code = add_rows(db, id, &found);
	if (code == SQLITE_NOMEM)
		return -ENOMEM;
	return code == SQLITE_DONE && !seals_match(seals, id, &found);
}

/* ---- writing ---- */

static int write_one(sqlite3 *db, sqlite3_stmt *insert, enum seal_id id)
{
	_cleanup_(seal_fini) struct seal seal = { 0 };
	int code = add_rows(db, id, &seal);

	if (code != SQLITE_DONE)
		return code == SQLITE_NOMEM ? -ENOMEM : -EIO;
	(void)sqlite3_bind_text(insert, 1, seal_name(id), -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(insert, 2, (sqlite3_int64)seal.row_count);
	(void)sqlite3_bind_int64(insert, 3, (sqlite3_int64)seal.checksum);
	code = sqlite3_step(insert);
	(void)sqlite3_reset(insert);
	return code == SQLITE_DONE ? 0 : -EIO;
}

int seals_write(const struct seals *seals, sqlite3 *db, uint32_t tables)
{
	_cleanup_statement_ sqlite3_stmt *insert = NULL;

	if (!(tables & seals->trusted))
		return 0;
	if (statement_exec(db, SCHEMA_SEALED) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO sealed VALUES(?1, ?2, ?3)", -1, &insert,
			       NULL) != SQLITE_OK)
		return -EIO;
	for (int id = 0; id < SEAL_COUNT; id++) {
		int rc;

		if (!(tables & seals->trusted & SEAL_BIT(id)) ||
		    !distrust_has_table(db, seal_name((enum seal_id)id)))
			continue;
		rc = write_one(db, insert, (enum seal_id)id);
		if (rc < 0)
			return rc;
	}
	return 0;
}
