/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "fixture.h"
#include "store/block.h"
#include "support/temp.h"

struct place {
	struct temp_dir dir;
	const char *path;
};

static int set_up(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	if (!place)
		return -1;
	place->dir = temp_dir_make();
	place->path = temp_file(&place->dir, "run.assay", "", 0);
	(void)unlink(place->path);
	(void)temp_file(&place->dir, "run.assay-wal", "", 0);
	(void)temp_file(&place->dir, "run.assay-shm", "", 0);
	*state = place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;

	temp_dir_remove(&place->dir);
	free(place);
	return 0;
}

static void append(struct recording *recording, const struct fixture *fixture)
{
	struct err err = { 0 };

	if (recording_append(recording, &fixture->model, &fixture->batch, &err) < 0)
		fail_msg("%s", err.text);
}

static void finish(struct recording *recording, const struct fixture *fixture)
{
	struct err err = { 0 };

	if (recording_finish(recording, &fixture->model, &err) < 0)
		fail_msg("%s", err.text);
}

/* Writes five flushes of different sizes, one of which is larger than a block. */
static struct seen record(struct recording *recording, struct fixture *fixture)
{
	static const size_t sizes[] = { 1, 700, 0, BLOCK_COUNT_MAX + 100, 33 };
	struct seen seen = { 0 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fixture_grow(fixture, sizes[i]);
		seen_add(&seen, &fixture->batch);
		append(recording, fixture);
	}
	return seen;
}

static void test_comes_back_as_written(void **state)
{
	struct place *place = *state;

	for (uint64_t seed = 1; seed < 6; seed++) {
		struct recording *recording = create_recording(place->path);
		struct fixture fixture;
		struct model model;
		struct seen want, have;

		fixture_init(&fixture, seed, (uint32_t)seed % 3);
		want = record(recording, &fixture);
		fixture_name(&fixture);
		finish(recording, &fixture);
		assert_true(recording_is_complete(recording));
		recording_close(recording);
		have = read_recording(place->path, &model);
		assert_memory_equal(&have, &want, sizeof(want));
		check_same_model(&model, &fixture.model);
		model_fini(&model);
		fixture_fini(&fixture);
		(void)unlink(place->path);
	}
}

static void test_temporary_recording_is_read_where_it_was_written(void **state)
{
	struct place *place = *state;
	struct recording *recording;
	struct seen want, have = { 0 };
	struct fixture fixture;
	struct err err = { 0 };

	assert_int_equal(recording_create_temporary(place->path, &recording, &err), 0);
	fixture_init(&fixture, 3, 1);
	want = record(recording, &fixture);
	fixture_name(&fixture);
	finish(recording, &fixture);
	assert_true(recording_is_complete(recording));
	if (recording_each_block(recording, &fixture.model, NULL, seen_visit, &have, &err) < 0)
		fail_msg("%s", err.text);
	assert_memory_equal(&have, &want, sizeof(want));
	assert_int_equal(access(place->path, F_OK), -1);
	recording_close(recording);
	fixture_fini(&fixture);
}

static void test_one_plain_file_remains(void **state)
{
	struct place *place = *state;
	struct recording *recording = create_recording(place->path);
	struct fixture fixture;
	char journal[128];

	fixture_init(&fixture, 2, 0);
	(void)record(recording, &fixture);
	finish(recording, &fixture);
	recording_close(recording);
	(void)snprintf(journal, sizeof(journal), "%s-wal", place->path);
	assert_int_equal(access(journal, F_OK), -1);
	assert_int_equal(ask(place->path, "SELECT value FROM meta"
					  " WHERE key = 'store.complete'"),
			 1);
	fixture_fini(&fixture);
}

static void test_readable_while_it_grows(void **state)
{
	struct place *place = *state;
	struct recording *writer = create_recording(place->path), *early;
	struct fixture fixture;
	struct model model;
	struct seen want = { 0 }, have = { 0 };
	struct err err = { 0 };

	fixture_init(&fixture, 4, 0);
	fixture_grow(&fixture, 500);
	seen_add(&want, &fixture.batch);
	append(writer, &fixture);
	early = open_recording(place->path);
	assert_false(recording_is_complete(early));
	assert_int_equal(model_init(&model), 0);
	assert_int_equal(recording_load(early, &model, &err), 0);
	fixture_grow(&fixture, 500);
	append(writer, &fixture);
	/*
	 * The model was loaded before the second flush, so the reader sees only that state of the
	 * file.
	 */
	assert_int_equal(recording_each_block(early, &model, NULL, seen_visit, &have, &err), 0);
	assert_memory_equal(&have, &want, sizeof(want));
	recording_close(early);
	model_fini(&model);
	have = read_recording(place->path, &model);
	assert_int_equal(have.samples, 1000);
	check_same_model(&model, &fixture.model);
	model_fini(&model);
	recording_close(writer);
	fixture_fini(&fixture);
}

/* Returns whether SQLite holds a lock on the file, as another process would see it. */
static bool is_locked(int fd)
{
	/*
	 * The "shared lock range" of https://www.sqlite.org/lockingv3.html, after the pending byte.
	 */
	struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = 0x40000002,
		.l_len = 510,
	};

	assert_int_equal(fcntl(fd, F_OFD_GETLK, &lock), 0);
	return lock.l_type != F_UNLCK;
}

/* Closing any descriptor of a file drops all of the process's locks on the file. */
static void test_reader_keeps_its_locks(void **state)
{
	struct place *place = *state;
	struct recording *recording = create_recording(place->path), *other = NULL;
	struct fixture fixture;
	struct model model;
	struct err err = { 0 };
	int fd;

	fixture_init(&fixture, 4, 0);
	(void)record(recording, &fixture);
	recording_close(recording);
	fd = open(place->path, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);	/* as a recorder does */
	recording = open_recording(place->path);
	assert_int_equal(recording_open_rw(place->path, &other, &err), -EBUSY);
	assert_int_equal(model_init(&model), 0);
	assert_int_equal(recording_load(recording, &model, &err), 0);
	assert_true(is_locked(fd));
	recording_close(recording);
	assert_false(is_locked(fd));
	(void)close(fd);
	model_fini(&model);
	fixture_fini(&fixture);
}

/* Starts a child that appends without end and reports each finished flush. */
static pid_t start_writer(const char *path, int ret_reports[2])
{
	pid_t child;

	assert_int_equal(pipe(ret_reports), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct recording *recording = create_recording(path);
		struct fixture fixture;

		fixture_init(&fixture, 9, 0);
		for (;;) {
			fixture_grow(&fixture, 300);
			append(recording, &fixture);
			if (write(ret_reports[1], "x", 1) != 1)
				_exit(1);
		}
	}
	(void)close(ret_reports[1]);
	return child;
}

static void test_killed_at_any_moment(void **state)
{
	struct place *place = *state;

	for (uint64_t flushes = 1; flushes < 40; flushes += 7) {
		struct fixture fixture;
		struct seen want = { 0 }, have;
		struct model model;
		int reports[2];
		pid_t child = start_writer(place->path, reports);
		char byte;

		for (uint64_t i = 0; i < flushes; i++)
			assert_int_equal(read(reports[0], &byte, 1), 1);
		assert_int_equal(kill(child, SIGKILL), 0);
		assert_int_equal(waitpid(child, NULL, 0), child);
		(void)close(reports[0]);

		have = read_recording(place->path, &model);
		assert_true(have.samples >= flushes * 300);
		fixture_init(&fixture, 9, 0);
		while (want.samples < have.samples) {
			fixture_grow(&fixture, 300);
			seen_add(&want, &fixture.batch);
		}
		assert_memory_equal(&have, &want, sizeof(want));
		check_same_model(&model, &fixture.model);
		model_fini(&model);
		fixture_fini(&fixture);
	}
}

/* Names are added later to the recording of a run that was killed. */
static void test_finished_by_another(void **state)
{
	struct place *place = *state;
	struct recording *recording = create_recording(place->path);
	struct fixture fixture;
	struct model model;
	struct seen want, have;
	struct err err = { 0 };

	fixture_init(&fixture, 11, 0);
	want = record(recording, &fixture);
	recording_close(recording);
	if (recording_open_rw(place->path, &recording, &err) < 0)
		fail_msg("%s", err.text);
	assert_false(recording_is_complete(recording));
	model_fini(&fixture.model);
	assert_int_equal(model_init(&fixture.model), 0);
	assert_int_equal(recording_load(recording, &fixture.model, &err), 0);
	fixture_name(&fixture);
	finish(recording, &fixture);
	finish(recording, &fixture);
	recording_close(recording);
	have = read_recording(place->path, &model);
	assert_memory_equal(&have, &want, sizeof(want));
	check_same_model(&model, &fixture.model);
	assert_int_equal(ask(place->path, "SELECT sum(samples) FROM hit"), want.samples);
	model_fini(&model);
	fixture_fini(&fixture);
}

static struct recording *load_again(const char *path, struct model *model)
{
	struct recording *recording = NULL;
	struct err err = { 0 };

	assert_int_equal(recording_open_rw(path, &recording, &err), 0);
	assert_int_equal(model_init(model), 0);
	assert_int_equal(recording_load(recording, model, &err), 0);
	return recording;
}

/* Earlier versions kept the mappings in a table. Writing them again moves them to blocks. */
static void test_mappings_in_a_table(void **state)
{
	struct place *place = *state;
	struct recording *recording = create_recording(place->path);
	struct fixture fixture;
	struct model model;
	struct err err = { 0 };

	fixture_init(&fixture, 11, 0);
	(void)record(recording, &fixture);
	finish(recording, &fixture);
	recording_close(recording);
	tamper(place->path,
	       "DROP TABLE sealed; DELETE FROM block WHERE kind = 'mapping';"
	       "CREATE TABLE mapping(id INTEGER PRIMARY KEY, process INTEGER, image INTEGER,"
	       " start_addr INTEGER, end_addr INTEGER, bias INTEGER, time_ns INTEGER);"
	       "INSERT INTO mapping VALUES(1, 1, 1, 4096, 8192, 1000, 5), (2, 1, 2, 0, 1, 2, 6)");
	for (int i = 0; i < 2; i++) {
		recording = load_again(place->path, &model);
		assert_int_equal(model.mappings.count, 3);
		assert_int_equal(model.mappings.at[1].bias, 1000);
		assert_int_equal(model.mappings.at[2].time_ns, 6);
		recording_rewrite_places(recording);
		assert_int_equal(recording_finish(recording, &model, &err), 0);
		recording_close(recording);
		model_fini(&model);
		assert_int_equal(ask(place->path, "SELECT count(*) FROM mapping"), 0);
		assert_int_equal(
			ask(place->path, "SELECT sum(count) FROM block WHERE kind = 'mapping'"), 2);
	}
	fixture_fini(&fixture);
}

/*
 * Finishing a damaged recording stores the losses of the run, but not those that the reader
 * encounters.
 */
static void test_damage_is_counted_once(void **state)
{
	struct place *place = *state;
	struct recording *recording = create_recording(place->path);
	struct fixture fixture;
	struct model model;
	struct err err = { 0 };

	fixture_init(&fixture, 11, 0);
	(void)record(recording, &fixture);
	recording_close(recording);
	tamper(place->path, "UPDATE block SET checksum = 1 WHERE id ="
			    " (SELECT min(id) FROM block WHERE kind = 'stack')");
	for (int i = 0; i < 3; i++) {
		recording = load_again(place->path, &model);
		assert_int_equal(model.losses.count[LOSS_BLOCK_DAMAGED] -
					 fixture.model.losses.count[LOSS_BLOCK_DAMAGED],
				 1);
		if (recording_finish(recording, &model, &err) < 0)
			fail_msg("%s", err.text);
		recording_close(recording);
		model_fini(&model);
	}
	fixture_fini(&fixture);
}

static int count_blocks(void *context, const struct sample_batch *batch)
{
	(*(int *)context)++;
	return 0;
}

static int stop_at_once(void *context, const struct sample_batch *batch)
{
	return 42;
}

static void test_range_skips_blocks(void **state)
{
	struct place *place = *state;
	struct recording *recording = create_recording(place->path);
	struct fixture fixture;
	struct model model;
	struct err err = { 0 };
	struct sample_range range = { 0 };
	int blocks = 0;

	fixture_init(&fixture, 12, 0);
	for (int i = 0; i < 5; i++) {
		if (i == 3)
			range.from_ns = fixture.now_ns + 1;
		fixture_grow(&fixture, 100);
		append(recording, &fixture);
		if (i == 3)
			range.to_ns = fixture.now_ns;
	}
	recording_close(recording);
	recording = open_recording(place->path);
	assert_int_equal(model_init(&model), 0);
	assert_int_equal(recording_load(recording, &model, &err), 0);
	assert_int_equal(
		recording_each_block(recording, &model, &range, count_blocks, &blocks, &err), 0);
	assert_int_equal(blocks, 1);
	assert_int_equal(recording_each_block(recording, &model, NULL, stop_at_once, NULL, &err),
			 42);
	recording_close(recording);
	model_fini(&model);
	fixture_fini(&fixture);
}

static void test_totals(void **state)
{
	struct place *place = *state;
	struct recording *recording = create_recording(place->path);
	struct fixture fixture;

	fixture_init(&fixture, 13, 0);
	(void)record(recording, &fixture);
	fixture_name(&fixture);
	finish(recording, &fixture);
	recording_close(recording);
	assert_int_equal(ask(place->path, "SELECT sum(samples) FROM hit"), fixture.sample_count);
	assert_int_equal(ask(place->path, "SELECT sum(weight) FROM hit"), fixture.weight);
	assert_int_equal(ask(place->path, "SELECT sum(samples) FROM thread_time"),
			 fixture.sample_count);
	assert_int_equal(ask(place->path, "SELECT sum(weight) FROM thread_time"), fixture.weight);
	/* The view leaves idle time out. */
	assert_int_equal(ask(place->path, "SELECT (SELECT sum(samples) FROM flat)"
					  " + (SELECT sum(samples) FROM hit JOIN context c"
					  " ON c.id = context WHERE c.name = 'idle')"),
			 fixture.sample_count);
	/* Threads without a process are in no process; all others are in one. */
	assert_int_equal(ask(place->path,
			     "SELECT (SELECT sum(samples) FROM process_time)"
			     " + (SELECT sum(samples) FROM thread_time WHERE thread = 0)"),
			 fixture.sample_count);
	fixture_fini(&fixture);
}

/* A number that changes with any row of the tables of totals. */
static int64_t digest_totals(const char *path)
{
	return ask(path, "SELECT (SELECT sum(samples * (application * 3 + process * 7"
			 " + function * 31 + event * 5 + context * 11 + 1)) FROM hit)"
			 " + (SELECT sum(samples * (thread * 13 + event * 5 + context * 11 + 1))"
			 " FROM thread_time) + (SELECT 1000003 * count(*) FROM hit)"
			 " + (SELECT 1009 * count(*) FROM thread_time)");
}

/* A recorder gives its rows back once they are written; the totals come out the same. */
static void test_totals_of_released_rows(void **state)
{
	struct place *place = *state;
	struct recording *recording = create_recording(place->path);
	struct fixture fixture;
	struct model model;
	struct err err = { 0 };
	int64_t digest;

	fixture_init(&fixture, 17, 0);
	for (size_t i = 0; i < 6; i++) {
		fixture_grow(&fixture, 3000);
		append(recording, &fixture);
		model_release_rows(&fixture.model);
		if (i % 2)
			model_forget_stacks(&fixture.model);
	}
	if (recording_read_stacks(recording, &fixture.model, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(fixture.model.first_stack, 0);
	fixture_name(&fixture);
	finish(recording, &fixture);
	recording_close(recording);
	digest = digest_totals(place->path);
	assert_int_equal(ask(place->path, "SELECT sum(samples) FROM hit"), fixture.sample_count);

	/* Loaded again, the model has all rows, and counts anew. */
	recording = load_again(place->path, &model);
	assert_int_equal(model.stacks.count, fixture.model.stacks.count);
	assert_int_equal(recording_finish(recording, &model, &err), 0);
	recording_close(recording);
	assert_int_equal(digest_totals(place->path), digest);
	model_fini(&model);
	fixture_fini(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_comes_back_as_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_one_plain_file_remains, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_temporary_recording_is_read_where_it_was_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_readable_while_it_grows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_reader_keeps_its_locks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damage_is_counted_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mappings_in_a_table, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_killed_at_any_moment, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_finished_by_another, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_range_skips_blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_totals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_totals_of_released_rows, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
