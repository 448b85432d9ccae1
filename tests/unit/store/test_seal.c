/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checksums of the tables whose rows have none. */
#include "support/test.h"

#include <unistd.h>

#include "check.h"
#include "fixture.h"
#include "store/code_table.h"
#include "store/database.h"
#include "store/seal.h"
#include "support/temp.h"

struct run {
	struct temp_dir dir;
	const char *path;
	struct fixture fixture;
	struct recording *recording;
};

static void begin(struct run *run)
{
	struct err err = { 0 };

	run->dir = temp_dir_make();
	run->path = temp_file(&run->dir, "run.assay", "", 0);
	run->recording = create_recording(run->path);
	fixture_init(&run->fixture, 11, 0);
	fixture_grow(&run->fixture, 500);
	model_fact_set(&run->fixture.model, FACT_STATE, "ended");
	loss_add(&run->fixture.model.losses, LOSS_WAITS, 3);
	assert_int_equal(recording_append(run->recording, &run->fixture.model, &run->fixture.batch,
					  &err),
			 0);
}

static void finish(struct run *run)
{
	struct err err = { 0 };

	fixture_name(&run->fixture);
	assert_int_equal(recording_finish(run->recording, &run->fixture.model, &err), 0);
}

static void close_run(struct run *run)
{
	recording_close(run->recording);
	run->recording = NULL;
}

static void end(struct run *run)
{
	recording_close(run->recording);
	fixture_fini(&run->fixture);
	temp_dir_remove(&run->dir);
}

static struct run finished_run(void)
{
	struct run run = { 0 };

	begin(&run);
	finish(&run);
	close_run(&run);
	return run;
}

static uint64_t altered(const char *path)
{
	struct model model;
	uint64_t count;

	(void)read_recording(path, &model);
	count = model.losses.count[LOSS_TABLE_ALTERED];
	model_fini(&model);
	return count;
}

/* Opens the recording for writing, loads it, lets @change write, and closes it. */
static void rewrite(const char *path, int (*change)(struct recording *, struct model *))
{
	struct recording *recording = NULL;
	struct err err = { 0 };
	struct model model;

	assert_int_equal(model_init(&model), 0);
	assert_int_equal(recording_open_rw(path, &recording, &err), 0);
	assert_int_equal(recording_load(recording, &model, &err), 0);
	assert_int_equal(change(recording, &model), 0);
	recording_close(recording);
	model_fini(&model);
}

static int finish_again(struct recording *recording, struct model *model)
{
	return recording_finish(recording, model, NULL);
}

static int keep_lines(struct recording *recording, struct model *model)
{
	const struct source_line line = { .line = 7, .file = model_intern(model, "a.c") };

	model->locations.at[1].line = model_line_id(model, &line);
	return recording_keep_lines(recording, model, NULL);
}

static int append_fact(struct recording *recording, struct model *model)
{
	model_fact_set(model, FACT_STATE, "changed");
	return recording_append(recording, model, NULL, NULL);
}

static int keep_code(struct recording *recording, struct model *model)
{
	uint8_t bytes[16] = { 0x90 };
	struct code code = { .image = 1, .bytes = bytes, .size_bytes = sizeof(bytes) };
	struct code_list codes = { .list = { .at = &code, .count = 1 } };

	return recording_keep_code(recording, &codes, NULL);
}

/* ---- tests ---- */

/* `mapping` is a table only in recordings of earlier versions. */
#define SEALED_TABLES (SEAL_COUNT - 1)

static void what_assay_writes_is_sealed(void **state)
{
	int (*const changes[])(struct recording *, struct model *) = { finish_again, keep_lines,
								       append_fact, keep_code };
	struct run run = finished_run();

	assert_int_equal(ask(run.path, "SELECT count(*) FROM sealed"), SEALED_TABLES);
	assert_int_equal(altered(run.path), 0);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		rewrite(run.path, changes[i]);
		if (altered(run.path))
			fail_msg("change %zu breaks a seal", i);
	}
	end(&run);
}

static void an_unfinished_recording_has_no_seals(void **state)
{
	struct run run = { 0 };

	begin(&run);
	assert_int_equal(ask(run.path, "SELECT count(*) FROM sealed"), 0);
	assert_int_equal(altered(run.path), 0);
	finish(&run);
	assert_int_equal(recording_append(run.recording, &run.fixture.model, NULL, NULL), 0);
	close_run(&run);
	assert_int_equal(altered(run.path), 0);
	end(&run);
}

static void each_altered_table_is_counted(void **state)
{
	static const char *const changes[] = {
		"UPDATE event SET name = name || 'x' WHERE id = 0",
		"UPDATE image SET inode = inode + 1 WHERE id = 2",
		"UPDATE application SET instance_count = instance_count + 1 WHERE id = 1",
		"UPDATE process SET uid = uid + 1 WHERE id = 2",
		"UPDATE string SET text = text || 'x'",
		"UPDATE thread SET comm = 'other' WHERE id = 2",
		"UPDATE meta SET value = 'other' WHERE key = 'state'",
		"UPDATE loss SET count = count + 1 WHERE reason = 'waits-lost'",
		"DELETE FROM ledger WHERE cpu = 0",
		"UPDATE ledger SET end_ns = end_ns + 1 WHERE cpu = 0",
		"UPDATE interrupt_time SET count = count + 1",
		"UPDATE interrupt_victim SET count = count + 1",
		"UPDATE image_health SET count = count + 1 WHERE outcome = 'from-bytes'",
		"INSERT INTO command_line VALUES(1, 'x')",
		"DROP TABLE command_line",
		"DELETE FROM block WHERE kind = 'sample'",
		"UPDATE sealed SET checksum = checksum + 1 WHERE name IN ('tick', 'meta')",
		"UPDATE sealed SET row_count = row_count + 1 WHERE name = 'block'",
		"DELETE FROM sealed WHERE name = 'thread'",
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct run run = finished_run();

		tamper(run.path, changes[i]);
		if (altered(run.path) != 1)
			fail_msg("%d tables altered by: %s", (int)altered(run.path), changes[i]);
		end(&run);
	}
}

static void the_seals_of_a_finished_recording_cannot_all_be_missing(void **state)
{
	struct run run = finished_run();

	tamper(run.path, "DELETE FROM sealed");
	assert_true(altered(run.path) > 10);
	end(&run);
}

static void tables_and_columns_of_users_do_not_count(void **state)
{
	struct run run = finished_run();

	tamper(run.path, "CREATE TABLE mine(x); CREATE INDEX i ON thread(comm, process, tid);"
			 "ALTER TABLE process ADD COLUMN note; UPDATE process SET note = 1;"
			 "ALTER TABLE ledger ADD COLUMN note; UPDATE ledger SET note = 1; VACUUM");
	assert_int_equal(altered(run.path), 0);
	end(&run);
}

static void an_earlier_recording_is_sealed_when_it_is_written(void **state)
{
	struct run run = finished_run();

	tamper(run.path, "DROP TABLE sealed; UPDATE thread SET comm = 'other' WHERE id = 2");
	assert_int_equal(altered(run.path), 0);
	rewrite(run.path, finish_again);
	assert_int_equal(altered(run.path), 0);
	tamper(run.path, "UPDATE thread SET comm = 'third' WHERE id = 2");
	assert_int_equal(altered(run.path), 1);
	end(&run);
}

/* Writing names into an altered recording does not make it look unaltered. */
static void an_altered_table_stays_altered(void **state)
{
	struct run run = finished_run();

	tamper(run.path, "UPDATE thread SET comm = 'other' WHERE id = 2;"
			 "UPDATE tick SET count = count + 1; UPDATE hit SET samples = samples + 1");
	rewrite(run.path, finish_again);
	rewrite(run.path, append_fact);
	assert_int_equal(altered(run.path), 1);
	end(&run);
}

static void check_sql(const char *path, const char *names)
{
	struct database_state found;
	struct err err = { 0 };
	sqlite3 *db = NULL;

	assert_int_equal(database_open_sql(path, &db, &found, &err), 0);
	assert_string_equal(found.altered, names);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void a_killed_recording_is_sealed_when_it_is_completed(void **state)
{
	struct run run = { 0 };

	begin(&run);
	close_run(&run);
	rewrite(run.path, finish_again);
	assert_int_equal(ask(run.path, "SELECT count(*) FROM sealed"), SEALED_TABLES);
	check_sql(run.path, "");
	end(&run);
}

static void sql_names_what_was_altered(void **state)
{
	struct run run = finished_run();

	check_sql(run.path, "");
	tamper(run.path, "UPDATE thread SET comm = 'other' WHERE id = 2;"
			 "UPDATE hit SET samples = samples + 1");
	check_sql(run.path, "thread, hit");
	end(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_assay_writes_is_sealed),
		cmocka_unit_test(an_unfinished_recording_has_no_seals),
		cmocka_unit_test(each_altered_table_is_counted),
		cmocka_unit_test(the_seals_of_a_finished_recording_cannot_all_be_missing),
		cmocka_unit_test(tables_and_columns_of_users_do_not_count),
		cmocka_unit_test(an_earlier_recording_is_sealed_when_it_is_written),
		cmocka_unit_test(an_altered_table_stays_altered),
		cmocka_unit_test(a_killed_recording_is_sealed_when_it_is_completed),
		cmocka_unit_test(sql_names_what_was_altered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
