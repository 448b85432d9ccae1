/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that were made to keep a reader busy or to fill its memory. */
#include "support/test.h"

#include <unistd.h>

#include "check.h"
#include "fixture.h"
#include "store/block.h"
#include "store/database.h"
#include "store/sample_block.h"
#include "support/temp.h"

#define MEMORY_MAX (UINT64_C(80) << 20)

struct place {
	struct temp_dir dir;
	const char *path;
	struct fixture fixture;
};

static int set_up(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	struct recording *recording;

	if (!place)
		return -1;
	place->dir = temp_dir_make();
	place->path = temp_file(&place->dir, "run.assay", "", 0);
	recording = create_recording(place->path);
	fixture_init(&place->fixture, 5, 0);
	fixture_grow(&place->fixture, 100);
	if (recording_append(recording, &place->fixture.model, &place->fixture.batch, NULL) < 0 ||
	    recording_finish(recording, &place->fixture.model, NULL) < 0)
		return -1;
	recording_close(recording);
	*state = place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;

	fixture_fini(&place->fixture);
	temp_dir_remove(&place->dir);
	free(place);
	return 0;
}

/* ---- schemas ---- */

static void check_says(const char *path, const struct err *err, const char *words)
{
	if (!strstr(err->text, words) || !strstr(err->text, path))
		fail_msg("'%s' says neither '%s' nor '%s'", err->text, words, path);
}

static void check_refused(const char *path, const char *words)
{
	struct recording *recording = NULL;
	struct database_state database;
	struct err err = { 0 };
	sqlite3 *db = NULL;

	assert_int_equal(recording_open(path, &recording, &err), -EINVAL);
	check_says(path, &err, words);
	assert_int_equal(recording_open_rw(path, &recording, &err), -EINVAL);
	check_says(path, &err, words);
	assert_int_equal(database_open_sql(path, &db, &database, &err), -EINVAL);
	check_says(path, &err, words);
}

static void test_strange_schemas(void **state)
{
	static const struct {
		const char *sql, *words;
	} attacks[] = {
		{ "DROP TABLE image; CREATE VIEW image AS WITH RECURSIVE r(x) AS (SELECT 1 UNION"
		  " ALL SELECT x + 1 FROM r) SELECT x AS id, '' AS kind FROM r",
		  "'image' is missing or is not a table" },
		/* The schema table may lie about the type of objects. SQLite detects that. */
		{ "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage = 0, sql ="
		  " 'CREATE VIEW image AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1"
		  " FROM r) SELECT x AS id FROM r' WHERE name = 'image'",
		  "malformed database schema (image)" },
		{ "ALTER TABLE thread ADD COLUMN more AS (zeroblob(1000000))",
		  "column 'more' of table 'thread' is a generated" },
		{ "CREATE TRIGGER t AFTER DELETE ON hit BEGIN DELETE FROM block; END",
		  "a trigger 't'" },
		{ "CREATE VIEW sample AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x FROM"
		  " r) SELECT x AS id FROM r",
		  "a view 'sample'" },
		{ "CREATE VIRTUAL TABLE more USING fts5(x)", "a table 'more'" },
		{ "DROP TABLE block", "'block' is missing" },
		{ "ALTER TABLE image_health ADD COLUMN more AS (zeroblob(1000000))",
		  "column 'more' of table 'image_health' is a generated" },
		{ "DROP TABLE image_health; CREATE VIEW image_health AS SELECT 1",
		  "'image_health' is missing or is not a table" },
		{ "DROP TABLE interrupt_time; CREATE VIEW Interrupt_Time AS SELECT 1",
		  "'interrupt_time' is missing or is not a table" },
		{ "ALTER TABLE interrupt_victim ADD COLUMN more AS (zeroblob(1000000))",
		  "column 'more' of table 'interrupt_victim' is a generated" },
	};

	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		struct place *place;

		if (i > 0) {
			(void)tear_down(state);
			assert_int_equal(set_up(state), 0);
		}
		place = *state;
		tamper(place->path, attacks[i].sql);
		check_refused(place->path, attacks[i].words);
	}
}

/* Users may add their own objects. */
static void test_additions_are_fine(void **state)
{
	const struct place *place = *state;
	struct model model;

	tamper(place->path, "CREATE TABLE notes(text); CREATE INDEX i ON process(tgid);"
			    "CREATE VIEW mine AS SELECT * FROM process;"
			    "ALTER TABLE process ADD COLUMN later TEXT; ANALYZE");
	assert_int_equal(read_recording(place->path, &model).samples, 100);
	check_same_model(&model, &place->fixture.model);
	model_fini(&model);
}

/* A recording from an older version, which did not know these objects. */
static void test_older_recordings_are_fine(void **state)
{
	const struct place *place = *state;
	struct model model;

	tamper(place->path, "DROP TABLE interrupt_time; DROP TABLE interrupt_victim;"
			    "DROP TABLE image_health");
	assert_int_equal(read_recording(place->path, &model).samples, 100);
	assert_int_equal(model.interrupts.times.count, 0);
	assert_int_equal(model.walk_health.images.count, 0);
	model_fini(&model);
}

/* Views that the program does not query are for the user, without a time limit. */
static void test_queries_have_no_limit(void **state)
{
	const struct place *place = *state;
	struct database_state database;
	struct err err = { 0 };
	sqlite3 *db = NULL;

	assert_int_equal(database_open_sql(place->path, &db, &database, &err), 0);
	assert_int_equal(database.progress, DATABASE_COMPLETE);
	assert_int_equal(statement_integer(db,
					   "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1"
					   " FROM r LIMIT 2000000) SELECT max(x) FROM r",
					   0),
			 2000000);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/*
 * Interior pages of the table's B-tree that refer to their one child many times: endless rows on a
 * few pages. The page format is that of https://www.sqlite.org/fileformat.html, 1.6.
 */
#define PAGE_BYTES 1024
#define CELLS 120
#define LEVELS 8

static void put_u16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Makes a page of CELLS pointers to page @child, with increasing keys. */
static void make_interior(uint8_t page[static PAGE_BYTES], uint32_t child)
{
	memset(page, 0, PAGE_BYTES);
	page[0] = 5;
	put_u16(page + 3, CELLS);
	put_u16(page + 5, PAGE_BYTES - CELLS * 6);
	put_u16(page + 10, child);
	for (size_t i = 0; i < CELLS; i++) {
		uint8_t *cell = page + PAGE_BYTES - (i + 1) * 6;

		put_u16(page + 12 + 2 * i, (size_t)(cell - page));
		put_u16(cell + 2, child);
		cell[4] = (uint8_t)(0x80 | (i + 1) >> 7);
		cell[5] = (i + 1) & 0x7f;
	}
}

static void put_page(FILE *file, uint32_t number, const uint8_t page[static PAGE_BYTES])
{
	assert_int_equal(fseek(file, (long)(number - 1) * PAGE_BYTES, SEEK_SET), 0);
	assert_int_equal(fwrite(page, PAGE_BYTES, 1, file), 1);
}

/* Replaces the rows of @table by endless copies of @row, a cell of a leaf page. */
static void repeat_row(const char *path, const char *table, const void *row, size_t row_bytes)
{
	uint32_t root, end;
	uint8_t page[PAGE_BYTES] = { 13 };
	char sql[128];
	FILE *file;

	/* Adds pages at the end of the file, to be overwritten. */
	tamper(path, "CREATE TABLE filler(x); INSERT INTO filler VALUES(zeroblob(100000))");
	(void)snprintf(sql, sizeof(sql), "SELECT rootpage FROM sqlite_schema WHERE name = '%s'",
		       table);
	root = (uint32_t)ask(path, sql);
	end = (uint32_t)ask(path, "PRAGMA page_count");
	file = fopen(path, "r+");
	assert_non_null(file);
	put_u16(page + 3, 1);
	put_u16(page + 5, PAGE_BYTES - row_bytes);
	put_u16(page + 8, PAGE_BYTES - row_bytes);
	memcpy(page + PAGE_BYTES - row_bytes, row, row_bytes);
	put_page(file, end, page);
	for (uint32_t level = 1; level < LEVELS; level++) {
		make_interior(page, end - level + 1);
		put_page(file, level == LEVELS - 1 ? root : end - level, page);
	}
	assert_int_equal(fclose(file), 0);
}

static void test_table_without_end(void **state)
{
	const struct place *place = *state;
	struct recording *recording = NULL;
	struct err err = { 0 };
	struct model model;

	/* The cell has 4 bytes and row id 1: a record header with three NULLs. */
	repeat_row(place->path, "thread", "\4\1\4\0\0\0", 6);
	assert_int_equal(recording_open(place->path, &recording, &err), 0);
	assert_int_equal(model_init(&model), 0);
	assert_int_equal(recording_load(recording, &model, &err), -EINVAL);
	check_says(place->path, &err, "takes too long");
	model_fini(&model);
	recording_close(recording);
}

/*
 * The virtual tables read the complete list of blocks, also in a user's query, which has no limit.
 */
static void test_blocks_without_end(void **state)
{
	/* The row is NULL and the kind. For samples it is NULL, NULL and the times 1 and 1. */
	static const struct {
		const char *row;
		size_t row_bytes;
		const char *query;
	} bombs[] = {
		{ "\10\1\3\0\27stack", 10, "SELECT count(*) FROM stack" },
		{ "\15\1\7\0\31\0\0\11\11sample", 15, "SELECT count(*) FROM sample" },
	};

	for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
		struct database_state database;
		const struct place *place;
		struct err err = { 0 };
		sqlite3 *db = NULL;

		(void)tear_down(state);
		assert_int_equal(set_up(state), 0);
		place = *state;
		repeat_row(place->path, "block", bombs[i].row, bombs[i].row_bytes);
		assert_int_equal(database_open_sql(place->path, &db, &database, &err), 0);
		if (statement_integer(db, bombs[i].query, -1) != 0)
			fail_msg("%s: %s", bombs[i].query, sqlite3_errmsg(db));
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
	}
}

/* ---- bombs ---- */

/* Adds @blocks blocks of @kind with BLOCK_COUNT_MAX equal entries each, starting at id @first. */
static void add_blocks(const char *path, struct block_codec *codec, struct block_header header,
		       size_t blocks)
{
	sqlite3_stmt *insert = NULL;
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "INSERT INTO block(kind, first, count, time_min_ns,"
					    " time_max_ns, checksum, data)"
					    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
					    -1, &insert, NULL),
			 SQLITE_OK);
	assert_int_equal(block_pack(codec), 0);
	for (size_t i = 0; i < blocks; i++, header.first += header.count) {
		uint64_t sum = block_checksum(&header, codec->packed.at, codec->packed.count);

		(void)sqlite3_bind_text(insert, 1, block_kind_name(header.kind), -1, SQLITE_STATIC);
		(void)sqlite3_bind_int64(insert, 2, (sqlite3_int64)header.first);
		(void)sqlite3_bind_int64(insert, 3, header.count);
		(void)sqlite3_bind_int64(insert, 4, (sqlite3_int64)header.time_min_ns);
		(void)sqlite3_bind_int64(insert, 5, (sqlite3_int64)header.time_max_ns);
		(void)sqlite3_bind_int64(insert, 6, (sqlite3_int64)sum);
		(void)sqlite3_bind_blob64(insert, 7, codec->packed.at, codec->packed.count,
					  SQLITE_STATIC);
		assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
		(void)sqlite3_reset(insert);
	}
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	(void)sqlite3_finalize(insert);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void check_bounded(const struct place *place)
{
	struct model model;
	struct seen seen = read_recording(place->path, &model);

	assert_int_equal(seen.samples, 100);
	assert_true(model.losses.count[LOSS_BLOCK_OVERSIZED] >
		    place->fixture.model.losses.count[LOSS_BLOCK_OVERSIZED]);
	assert_true(model.locations.count * sizeof(struct location) < MEMORY_MAX);
	assert_true(model.functions.count * sizeof(struct function) < MEMORY_MAX);
	model_fini(&model);
}

/* Zeros that compress to a few bytes. */
static void test_locations_without_end(void **state)
{
	const struct place *place = *state;
	struct block_codec codec = { 0 };

	assert_int_equal(block_begin(&codec, BLOCK_COUNT_MAX, 2), 0);
	add_blocks(place->path, &codec,
		   (struct block_header){
			   .kind = BLOCK_LOCATION,
			   .first = place->fixture.model.locations.count,
			   .count = BLOCK_COUNT_MAX,
		   },
		   600);
	check_bounded(place);
	block_codec_fini(&codec);
}

static void test_names_without_end(void **state)
{
	const struct place *place = *state;
	struct block_codec codec = { 0 };

	assert_int_equal(block_begin(&codec, 1, 4), 0);
	assert_int_equal(vec_reserve(&codec.text, BLOCK_TEXT_MAX), 0);
	memset(codec.text.at, 'x', BLOCK_TEXT_MAX);
	codec.text.at[BLOCK_TEXT_MAX - 2] = codec.text.at[BLOCK_TEXT_MAX - 1] = 0;
	codec.text.count = BLOCK_TEXT_MAX;
	add_blocks(place->path, &codec,
		   (struct block_header){
			   .kind = BLOCK_FUNCTION,
			   .first = place->fixture.model.functions.count,
			   .count = 1,
		   },
		   12);
	check_bounded(place);
	block_codec_fini(&codec);
}

/* The same sample many times. */
static void test_samples_without_end(void **state)
{
	const struct place *place = *state;
	struct sample_batch batch = { 0 };
	struct block_codec codec = { 0 };
	struct model model;
	struct seen seen;

	for (size_t i = 0; i < BLOCK_COUNT_MAX; i++) {
		struct sample *sample = vec_push(&batch.samples);

		assert_non_null(sample);
		*sample = (struct sample){
			.time_ns = 1000,
			.stack = STACK_ROOT_NONE,
			.late_ns = LATE_UNKNOWN,
		};
	}
	assert_int_equal(
		sample_block_encode(&codec,
				    &(struct sample_slice){
					    .batch = &batch,
					    .count = BLOCK_COUNT_MAX,
					    .events = place->fixture.model.events.at,
					    .event_count = place->fixture.model.events.count,
				    }),
		0);
	add_blocks(place->path, &codec,
		   (struct block_header){
			   .kind = BLOCK_SAMPLE,
			   .first = 100,
			   .count = BLOCK_COUNT_MAX,
			   .time_min_ns = 1000,
			   .time_max_ns = 1000,
		   },
		   1200);
	seen = read_recording(place->path, &model);
	assert_true(model.losses.count[LOSS_BLOCK_OVERSIZED] >
		    place->fixture.model.losses.count[LOSS_BLOCK_OVERSIZED]);
	assert_true(seen.samples < 19000000);
	model_fini(&model);
	sample_batch_fini(&batch);
	block_codec_fini(&codec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_strange_schemas, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_additions_are_fine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_older_recordings_are_fine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_queries_have_no_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_table_without_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_blocks_without_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_locations_without_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names_without_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_samples_without_end, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
