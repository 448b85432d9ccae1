/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of hot functions: which functions are hot, whether their code is kept and read back, and the
 * result of a damaged or forged block.
 */
#include "support/test.h"

#include <sqlite3.h>
#include <unistd.h>

#include "fixture.h"
#include "store/block.h"
#include "store/code_table.h"
#include "support/temp.h"

#define SAMPLES 20000

static struct fixture fixture;
static struct temp_dir dir;
static const char *path;

static int set_up(void **state)
{
	dir = temp_dir_make();
	path = temp_file(&dir, "run.assay", "", 0);
	(void)unlink(path);
	fixture_init(&fixture, 7, 0);
	fixture_grow(&fixture, SAMPLES);
	return 0;
}

static int tear_down(void **state)
{
	fixture_fini(&fixture);
	temp_dir_remove(&dir);
	return 0;
}

/*
 * Returns whether the function has at least half a percent of an event's samples outside idle time,
 * counted from the batch.
 */
static bool is_hot(uint32_t function)
{
	uint64_t all[2] = { 0 }, own[2] = { 0 };

	for (size_t i = 0; i < fixture.batch.samples.count; i++) {
		const struct sample *sample = &fixture.batch.samples.at[i];
		uint32_t leaf = sample->stack < STACK_ROOT_COUNT
					? 0
					: fixture.model.stacks.at[sample->stack].location;

		if (sample->context == CONTEXT_IDLE || sample->event > 1)
			continue;
		all[sample->event]++;
		own[sample->event] += leaf && fixture.model.locations.at[leaf].function == function;
	}
	return (own[0] && own[0] * CODE_KEPT_SHARE >= all[0]) ||
	       (own[1] && own[1] * CODE_KEPT_SHARE >= all[1]);
}

static struct recording *recorded(void)
{
	struct recording *recording;
	struct err err = { 0 };

	fixture_name(&fixture);
	if (recording_create(path, &recording, &err) < 0 ||
	    recording_append(recording, &fixture.model, &fixture.batch, &err) < 0 ||
	    recording_finish(recording, &fixture.model, &err) < 0)
		fail_msg("%s", err.text);
	return recording;
}

/* Makes every fourth function run in idle time only, and every fourth just once. */
static void make_cold(void)
{
	bool *seen = calloc(SAMPLES, sizeof(*seen));

	assert_non_null(seen);
	fixture_name(&fixture);
	for (size_t i = 0; i < fixture.batch.samples.count; i++) {
		struct sample *sample = &fixture.batch.samples.at[i];
		uint32_t function;

		if (sample->stack < STACK_ROOT_COUNT)
			continue;
		function = fixture.model.locations
				   .at[fixture.model.stacks.at[sample->stack].location]
				   .function;
		assert_true(function < SAMPLES);
		if (function % 4 == 0 || (function % 4 == 1 && seen[function]))
			sample->context = CONTEXT_IDLE;
		else if (sample->context == CONTEXT_IDLE)
			sample->context = CONTEXT_USER;
		seen[function] = true;
	}
	free(seen);
}

static void hot_functions_are_those_above_the_share(void **state)
{
	struct recording *recording;
	struct function_ids ids = { 0 };
	size_t hot = 0;

	make_cold();
	recording = recorded();
	assert_int_equal(recording_hot_functions(recording, &ids, NULL), 0);
	for (size_t i = 0; i < ids.list.count; i++)
		assert_true(is_hot(ids.list.at[i]));
	for (uint32_t id = 1; id < fixture.model.functions.count; id++)
		hot += is_hot(id);
	assert_int_equal(ids.list.count, hot);
	assert_in_range(hot, 1, fixture.model.functions.count / 2 + 1);
	vec_free(&ids.list);
	recording_close(recording);
}

/* Stores two stretches of code in a new recording. */
static void keep(void)
{
	uint8_t first[] = { 0x90, 0xc3 }, second[3000];
	struct code codes[] = {
		{ .image = 1, .machine = 62, .vaddr = 0x1000, .bytes = first, .size_bytes = 2 },
		{ .image = 2,
		  .machine = 183,
		  .vaddr = UINT64_MAX - 5000,
		  .bytes = second,
		  .size_bytes = sizeof(second) },
	};
	const struct code_list list = { { codes, 2, 2 } };
	struct recording *recording = recorded();
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(second); i++)
		second[i] = (uint8_t)(i * i);
	if (recording_keep_code(recording, &list, &err) < 0)
		fail_msg("%s", err.text);
	recording_close(recording);
}

static int read_back(const struct function *function, struct code *code)
{
	struct recording *recording;
	int rc;

	assert_int_equal(recording_open(path, &recording, NULL), 0);
	rc = recording_read_code(recording, function, code, NULL);
	recording_close(recording);
	return rc;
}

static const struct function kept_one = { .image = 1, .vaddr = 0x1000, .size_bytes = 2 };
static const struct function kept_two = { .image = 2,
					  .vaddr = UINT64_MAX - 5000,
					  .size_bytes = 3000 };

static void code_comes_back_as_it_was(void **state)
{
	struct function shorter = kept_two, other = kept_two;
	struct code code;

	keep();
	assert_int_equal(read_back(&kept_two, &code), 1);
	assert_int_equal(code.machine, 183);
	assert_int_equal(code.image, 2);
	assert_int_equal(code.vaddr, UINT64_MAX - 5000);
	assert_int_equal(code.size_bytes, 3000);
	for (size_t i = 0; i < code.size_bytes; i++)
		assert_int_equal(code.bytes[i], (uint8_t)(i * i));
	code_fini(&code);
	assert_int_equal(read_back(&kept_one, &code), 1);
	assert_memory_equal(code.bytes, "\x90\xc3", 2);
	code_fini(&code);
	shorter.size_bytes = 2999;
	other.image = 1;
	assert_int_equal(read_back(&shorter, &code), 0);
	assert_int_equal(read_back(&other, &code), 0);
}

static void edit(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_changes(db), 1);
	(void)sqlite3_close(db);
}

static void damage_is_no_code(void **state)
{
	struct code code;

	keep();
	edit("UPDATE block SET data = zeroblob(length(data)) WHERE kind = 'code'");
	assert_int_equal(read_back(&kept_one, &code), 0);
	edit("UPDATE block SET count = 3 WHERE kind = 'code'");
	assert_int_equal(read_back(&kept_one, &code), 0);
	edit("DELETE FROM block WHERE kind = 'code'");
	assert_int_equal(read_back(&kept_one, &code), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(hot_functions_are_those_above_the_share, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(code_comes_back_as_it_was, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damage_is_no_code, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
