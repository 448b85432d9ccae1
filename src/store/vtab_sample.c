/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual table `sample`. It reads blocks in time order and decodes one at a time. */
#include "store/block_table.h"
#include "store/sample_block.h"
#include "store/vtab.h"

#define COUNTER_COLUMNS 16

enum {
	COLUMN_ID,
	COLUMN_TIME,
	COLUMN_THREAD,
	COLUMN_CPU,
	COLUMN_EVENT,
	COLUMN_CONTEXT,
	COLUMN_STACK,
	COLUMN_LATE,
	COLUMN_WEIGHT,
	COLUMN_COUNTER
};

static const char declaration[] =
	"CREATE TABLE x(id INTEGER, time_ns INTEGER, thread INTEGER, cpu INTEGER, event INTEGER,"
	" context INTEGER, stack INTEGER, late_ns INTEGER, weight INTEGER,"
	" counter_1 HIDDEN, counter_2 HIDDEN, counter_3 HIDDEN, counter_4 HIDDEN,"
	" counter_5 HIDDEN, counter_6 HIDDEN, counter_7 HIDDEN, counter_8 HIDDEN,"
	" counter_9 HIDDEN, counter_10 HIDDEN, counter_11 HIDDEN, counter_12 HIDDEN,"
	" counter_13 HIDDEN, counter_14 HIDDEN, counter_15 HIDDEN, counter_16 HIDDEN)";

struct sample_table {
	sqlite3_vtab base;
	sqlite3 *db;
};

struct sample_cursor {
	sqlite3_vtab_cursor base;
	struct block_list list;
	size_t next;			/* index in list */
	struct block_reader reader;
	struct block_header header;	/* header of the block in batch */
	struct sample_batch batch;
	size_t at;			/* index in batch */
};

static int sqlite_code(int rc)
{
	return rc == -ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int sample_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			  sqlite3_vtab **ret_vtab, char **ret_message)
{
	struct sample_table *table = sqlite3_malloc(sizeof(*table));
	int code;

	if (!table)
		return SQLITE_NOMEM;
	*table = (struct sample_table){ .db = db };
	code = sqlite3_declare_vtab(db, declaration);
	if (code == SQLITE_OK)
		code = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	if (code != SQLITE_OK) {
		sqlite3_free(table);
		return code;
	}
	*ret_vtab = &table->base;
	return SQLITE_OK;
}

static int sample_disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
}

/* ---- which blocks ---- */

/*
 * Bounds that sample_best_index() may pass to sample_filter(). idxNum has one bit for each bound.
 * The arguments have the same order as the bits.
 */
enum {
	BOUND_TIME_LOW = 1u << 0,
	BOUND_TIME_HIGH = 1u << 1,
};

static bool is_lower(unsigned char op)
{
	return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE ||
	       op == SQLITE_INDEX_CONSTRAINT_EQ;
}

static bool is_upper(unsigned char op)
{
	return op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE ||
	       op == SQLITE_INDEX_CONSTRAINT_EQ;
}

/*
 * Uses bounds on time_ns to select blocks. SQLite checks each row again, so more blocks than needed
 * may be selected. At most one lower and one upper bound are used; an equality can serve as either
 * bound.
 */
static int sample_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	int low = -1, high = -1, argument = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		if (!info->aConstraint[i].usable || info->aConstraint[i].iColumn != COLUMN_TIME)
			continue;
		if (low < 0 && is_lower(info->aConstraint[i].op))
			low = i;
		else if (high < 0 && is_upper(info->aConstraint[i].op))
			high = i;
	}
	info->estimatedCost = 1e7;
	info->estimatedRows = 1000000;
	if (low >= 0) {
		info->aConstraintUsage[low].argvIndex = ++argument;
		info->idxNum |= BOUND_TIME_LOW;
		info->estimatedCost /= 4;
	}
	if (high >= 0) {
		info->aConstraintUsage[high].argvIndex = ++argument;
		info->idxNum |= BOUND_TIME_HIGH;
		info->estimatedCost /= 4;
	}
	return SQLITE_OK;
}

static int sample_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret_cursor)
{
	struct sample_cursor *cursor = sqlite3_malloc(sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct sample_cursor){ 0 };
	*ret_cursor = &cursor->base;
	return SQLITE_OK;
}

static void rewind_cursor(struct sample_cursor *cursor)
{
	block_list_fini(&cursor->list);
	block_reader_fini(&cursor->reader);
	sample_batch_clear(&cursor->batch);
	cursor->next = cursor->at = 0;
}

static int sample_close(sqlite3_vtab_cursor *base)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;

	rewind_cursor(cursor);
	sample_batch_fini(&cursor->batch);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

/* Reads the next block, skipping damaged ones. */
static int next_block(struct sample_cursor *cursor)
{
	cursor->at = 0;
	sample_batch_clear(&cursor->batch);
	while (cursor->batch.samples.count == 0 && cursor->next < cursor->list.ids.count) {
		int rc = block_reader_read(&cursor->reader, cursor->list.ids.at[cursor->next++],
					   BLOCK_SAMPLE, &cursor->header);

		if (rc == 0)
			rc = sample_block_decode(&cursor->reader.codec, &cursor->header,
						 &cursor->batch);
		if (rc == -EBADMSG)
			sample_batch_clear(&cursor->batch);
		else if (rc < 0)
			return sqlite_code(rc);
	}
	return SQLITE_OK;
}

static uint64_t bound(sqlite3_value *value, uint64_t otherwise)
{
	sqlite3_int64 ns;

	if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER)
		return otherwise;
	ns = sqlite3_value_int64(value);
	return ns < 0 ? 0 : (uint64_t)ns;
}

static int sample_filter(sqlite3_vtab_cursor *base, int plan, const char *plan_text, int argc,
			 sqlite3_value **argv)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;
	sqlite3 *db = ((struct sample_table *)base->pVtab)->db;
	uint64_t from_ns = 0, to_ns = UINT64_MAX;
	int argument = 0, rc;

	if (plan & BOUND_TIME_LOW)
		from_ns = bound(argv[argument++], from_ns);
	/* An equality is passed only as the lower bound, so the upper bound may be missing. */
	if (plan & BOUND_TIME_HIGH)
		to_ns = bound(argv[argument], to_ns - 1) + 1;
	rewind_cursor(cursor);
	rc = block_list_read_range(db, from_ns, to_ns, &cursor->list);
	if (rc < 0)
		return sqlite_code(rc);
	rc = block_reader_init(&cursor->reader, db);
	if (rc < 0)
		return sqlite_code(rc);
	return next_block(cursor);
}

/* ---- rows ---- */

static int sample_next(sqlite3_vtab_cursor *base)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;

	return ++cursor->at < cursor->batch.samples.count ? SQLITE_OK : next_block(cursor);
}

static int sample_eof(sqlite3_vtab_cursor *base)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;

	return cursor->at >= cursor->batch.samples.count;
}

static void result_counter(struct sample_cursor *cursor, sqlite3_context *result, uint32_t counter)
{
	const struct sample_batch *batch = &cursor->batch;

	if (counter < batch->counter_count)
		sqlite3_result_int64(result,
				     (sqlite3_int64)batch->counters
					     .at[cursor->at * batch->counter_count + counter]);
}

static int sample_column(sqlite3_vtab_cursor *base, sqlite3_context *result, int column)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;
	const struct sample *sample = &cursor->batch.samples.at[cursor->at];
	const sqlite3_int64 values[] = {
		[COLUMN_ID] = (sqlite3_int64)(cursor->header.first + cursor->at),
		[COLUMN_TIME] = (sqlite3_int64)sample->time_ns,
		[COLUMN_THREAD] = sample->thread,
		[COLUMN_CPU] = sample->cpu,
		[COLUMN_EVENT] = sample->event,
		[COLUMN_CONTEXT] = sample->context,
		[COLUMN_STACK] = sample->stack,
		[COLUMN_LATE] = sample->late_ns,
		[COLUMN_WEIGHT] = (sqlite3_int64)sample->weight,
	};

	if (column >= COLUMN_COUNTER)
		result_counter(cursor, result, (uint32_t)(column - COLUMN_COUNTER));
	else if (column != COLUMN_LATE || sample->late_ns != LATE_UNKNOWN)
		sqlite3_result_int64(result, values[column]);
	return SQLITE_OK;
}

static int sample_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret_id)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;

	*ret_id = (sqlite3_int64)(cursor->header.first + cursor->at);
	return SQLITE_OK;
}

/*
 * The module has no xCreate. The table is thus only eponymous, and no recording can contain a table
 * of this kind.
 */
int vtab_register_sample(sqlite3 *db)
{
	static const sqlite3_module module = {
		.xConnect = sample_connect,
		.xBestIndex = sample_best_index,
		.xDisconnect = sample_disconnect,
		.xOpen = sample_open,
		.xClose = sample_close,
		.xFilter = sample_filter,
		.xNext = sample_next,
		.xEof = sample_eof,
		.xColumn = sample_column,
		.xRowid = sample_rowid,
	};

	_Static_assert(COUNTER_COLUMNS <= SAMPLE_COUNTER_MAX, "counters of a sample");
	return sqlite3_create_module_v2(db, "sample", &module, NULL, NULL);
}
