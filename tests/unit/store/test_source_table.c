/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files: whether they are kept and read back, and the result of a damaged or forged block.
 */
#include "support/test.h"

#include <sqlite3.h>
#include <unistd.h>

#include "store/source_block.h"
#include "store/source_table.h"
#include "support/temp.h"

static struct temp_dir dir;
static const char *path;
static struct model model;
static struct source_list sources;

static struct source_text *add(const char *file, const char *text)
{
	struct source_text *slot = vec_push(&sources.list);

	assert_non_null(slot);
	slot->file = model_intern(&model, file);
	slot->bytes = text ? strdup(text) : NULL;
	slot->size_bytes = text ? strlen(text) : 0;
	slot->mtime_ns = slot->size_bytes * 1000;
	return slot;
}

static int set_up(void **state)
{
	dir = temp_dir_make();
	path = temp_file(&dir, "run.assay", "", 0);
	(void)unlink(path);
	assert_int_equal(model_init(&model), 0);
	sources = (struct source_list){ 0 };
	(void)add("/src/a.c", "one\ntwo\n");
	(void)add("/src/not-here.c", NULL);
	(void)add("/src/empty.h", "");
	(void)add("b\x1b.c", "\xff\x1b[2J\n");
	return 0;
}

static int tear_down(void **state)
{
	source_list_fini(&sources);
	model_fini(&model);
	temp_dir_remove(&dir);
	return 0;
}

static void keep(void)
{
	const struct sample_batch nothing = { 0 };
	struct recording *recording;
	struct err err = { 0 };

	if (recording_create(path, &recording, &err) < 0 ||
	    recording_append(recording, &model, &nothing, &err) < 0 ||
	    recording_finish(recording, &model, &err) < 0 ||
	    recording_keep_sources(recording, &model, &sources, &err) < 0)
		fail_msg("%s", err.text);
	recording_close(recording);
}

/* Reads the files into a model that knows none of their paths. */
static struct source_list read_back(struct model *there)
{
	struct source_list list = { 0 };
	struct recording *recording;

	assert_int_equal(model_init(there), 0);
	assert_int_equal(recording_open(path, &recording, NULL), 0);
	assert_int_equal(recording_read_sources(recording, there, &list, NULL), 0);
	recording_close(recording);
	return list;
}

static void assert_kept(size_t count)
{
	struct model there;
	struct source_list list = read_back(&there);

	assert_int_equal(list.list.count, count);
	source_list_fini(&list);
	model_fini(&there);
}

static void sources_come_back_as_they_were(void **state)
{
	struct model there;
	struct source_list list;
	char line[SOURCE_LINE_MAX];

	keep();
	list = read_back(&there);
	assert_int_equal(list.list.count, 3);
	assert_string_equal(model_string(&there, list.list.at[0].file), "/src/a.c");
	assert_true(list.list.at[0].kept);
	assert_int_equal(list.list.at[0].mtime_ns, 8000);
	assert_true(source_line(&list.list.at[0], 2, line));
	assert_string_equal(line, "two");
	assert_int_equal(list.list.at[1].starts.count, 0);
	assert_string_equal(model_string(&there, list.list.at[2].file), "b\x1b.c");
	assert_true(source_line(&list.list.at[2], 1, line));
	assert_string_equal(line, "\xff\x1b[2J");
	source_list_fini(&list);
	model_fini(&there);
}

static void the_last_ones_count(void **state)
{
	struct recording *recording;

	keep();
	source_list_fini(&sources);
	(void)add("/src/c.c", "three\n");
	assert_int_equal(recording_open_rw(path, &recording, NULL), 0);
	assert_int_equal(recording_keep_sources(recording, &model, &sources, NULL), 0);
	recording_close(recording);
	assert_kept(1);
	source_list_fini(&sources);
	assert_int_equal(recording_open_rw(path, &recording, NULL), 0);
	assert_int_equal(recording_keep_sources(recording, &model, &sources, NULL), 0);
	recording_close(recording);
	assert_kept(0);
}

static void edit(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_changes(db), 1);
	(void)sqlite3_close(db);
}

static void damage_is_no_source(void **state)
{
	keep();
	edit("UPDATE block SET count = 2 WHERE kind = 'source'");
	assert_kept(0);
	edit("UPDATE block SET count = 3 WHERE kind = 'source'");
	assert_kept(3);
	edit("UPDATE block SET data = zeroblob(length(data)) WHERE kind = 'source'");
	assert_kept(0);
}

/* Sizes that an attacker can put in a forged block. */
static void forged_sizes_are_refused(void **state)
{
	static const struct {
		uint64_t path_size_bytes, size_bytes;
		int first, second;
	} cases[] = {
		{ 2, 3, 1, 0 },
		{ 5, 0, 1, 0 },
		{ 2, 2, 1, -EBADMSG },
		{ 2, 4, -EBADMSG, 0 },
		{ UINT64_MAX, 6, -EBADMSG, 0 },
		{ 2, UINT64_MAX, -EBADMSG, 0 },
	};
	struct block_codec codec = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct source_cursor cursor = { 0 };
		struct source_entry entry;

		assert_int_equal(block_begin(&codec, 1, 3), 0);
		block_column(&codec, 0)[0] = cases[i].path_size_bytes;
		block_column(&codec, 1)[0] = cases[i].size_bytes;
		assert_int_equal(vec_reserve(&codec.text, 5), 0);
		memcpy(codec.text.at, "paths", 5);
		codec.text.count = 5;
		assert_int_equal(source_block_next(&codec, &cursor, &entry), cases[i].first);
		if (cases[i].first == 1)
			assert_int_equal(source_block_next(&codec, &cursor, &entry),
					 cases[i].second);
	}
	codec.text.at[1] = '\0';
	assert_int_equal(source_block_next(&codec, &(struct source_cursor){ 0 },
					   &(struct source_entry){ 0 }),
			 -EBADMSG);
	block_codec_fini(&codec);
}

static void too_many_are_refused(void **state)
{
	struct block_codec codec = { 0 };
	uint32_t count;

	for (size_t i = 0; i < SOURCES_MAX; i++)
		(void)add("/x.c", "x");
	assert_int_equal(source_block_encode(&codec, &model, &sources, &count), -E2BIG);
	block_codec_fini(&codec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sources_come_back_as_they_were, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_last_ones_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damage_is_no_source, set_up, tear_down),
		cmocka_unit_test_setup_teardown(forged_sizes_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many_are_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
