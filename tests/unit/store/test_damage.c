/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that a bad disk or an attacker has changed. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "fixture.h"
#include "support/temp.h"

#define FLUSHES 4
#define PER_FLUSH 200

struct whole {
	struct temp_dir dir;
	const char *path;
	struct fixture fixture;
};

static int set_up(void **state)
{
	struct whole *whole = calloc(1, sizeof(*whole));
	struct recording *recording;
	struct err err = { 0 };

	if (!whole)
		return -1;
	whole->dir = temp_dir_make();
	whole->path = temp_file(&whole->dir, "run.assay", "", 0);
	recording = create_recording(whole->path);
	fixture_init(&whole->fixture, 5, 0);
	for (int i = 0; i < FLUSHES; i++) {
		fixture_grow(&whole->fixture, PER_FLUSH);
		if (recording_append(recording, &whole->fixture.model, &whole->fixture.batch,
				     &err) < 0)
			return -1;
	}
	fixture_name(&whole->fixture);
	if (recording_finish(recording, &whole->fixture.model, &err) < 0)
		return -1;
	recording_close(recording);
	*state = whole;
	return 0;
}

static int tear_down(void **state)
{
	struct whole *whole = *state;

	fixture_fini(&whole->fixture);
	temp_dir_remove(&whole->dir);
	free(whole);
	return 0;
}

/* Flips one bit in the middle of the blob of the @nth block of @kind. */
static void flip_bit(const char *path, const char *kind, int nth)
{
	char sql[512];

	(void)snprintf(sql, sizeof(sql),
		       "UPDATE block SET data = CAST(substr(data, 1, length(data) / 2) AS BLOB) ||"
		       " CASE substr(data, length(data) / 2 + 1, 1) WHEN x'10' THEN x'11'"
		       " ELSE x'10' END || substr(data, length(data) / 2 + 2)"
		       " WHERE id = (SELECT id FROM block WHERE kind = '%s' ORDER BY id"
		       " LIMIT 1 OFFSET %d)",
		       kind, nth);
	tamper(path, sql);
	/* || makes text. The cast to a blob restores the bytes. */
	tamper(path, "UPDATE block SET data = CAST(data AS BLOB) WHERE typeof(data) = 'text'");
}

static uint64_t found(const struct model *model, const struct fixture *fixture, enum loss reason)
{
	return model->losses.count[reason] - fixture->model.losses.count[reason];
}

static uint64_t damage_of(const struct model *model, const struct fixture *fixture)
{
	return found(model, fixture, LOSS_BLOCK_DAMAGED);
}

static uint64_t any_damage_of(const struct model *model, const struct fixture *fixture)
{
	return damage_of(model, fixture) + found(model, fixture, LOSS_ROW_DAMAGED) +
	       found(model, fixture, LOSS_REFERENCE_MISSING) +
	       found(model, fixture, LOSS_BLOCK_OVERSIZED);
}

static void test_damaged_samples_are_left_out(void **state)
{
	struct whole *whole = *state;
	struct model model;
	struct seen seen;

	flip_bit(whole->path, "sample", 1);
	seen = read_recording(whole->path, &model);
	assert_int_equal(seen.samples, (FLUSHES - 1) * PER_FLUSH);
	assert_int_equal(damage_of(&model, &whole->fixture), 1);
	model_fini(&model);
}

/*
 * Later stacks keep their ids. Stacks of the damaged block become broken and do not get the ids of
 * others.
 */
static void test_damaged_stacks_are_unknown(void **state)
{
	struct whole *whole = *state;
	const struct model *want = &whole->fixture.model;
	uint64_t broken = 0;
	struct model model;
	struct seen seen;

	flip_bit(whole->path, "stack", 1);
	seen = read_recording(whole->path, &model);
	assert_int_equal(seen.samples, FLUSHES * PER_FLUSH);
	assert_int_equal(damage_of(&model, &whole->fixture), 1);
	assert_int_equal(model.stacks.count, want->stacks.count);
	for (size_t i = STACK_ROOT_COUNT; i < model.stacks.count; i++) {
		const struct stack_node *a = &model.stacks.at[i], *b = &want->stacks.at[i];

		if (a->parent == STACK_ROOT_BROKEN && a->location == 0)
			broken++;
		else
			assert_true(a->parent == b->parent && a->location == b->location);
	}
	assert_true(broken > 0 && broken < model.stacks.count);
	model_fini(&model);
}

static void test_damaged_locations_are_unknown(void **state)
{
	struct whole *whole = *state;
	const struct model *want = &whole->fixture.model;
	struct model model;
	uint64_t unknown = 0;

	flip_bit(whole->path, "location", 1);
	(void)read_recording(whole->path, &model);
	assert_true(damage_of(&model, &whole->fixture) >= 1);
	assert_int_equal(model.locations.count, want->locations.count);
	for (size_t i = 1; i < model.locations.count; i++) {
		const struct location *a = &model.locations.at[i], *b = &want->locations.at[i];

		if (a->vaddr == 0)
			unknown++;
		else
			assert_true(a->vaddr == b->vaddr && a->image == b->image &&
				    a->function == b->function);
	}
	assert_true(unknown > 0 && unknown < model.locations.count);
	model_fini(&model);
}

static void test_damaged_functions_have_no_name(void **state)
{
	struct whole *whole = *state;
	struct model model;

	flip_bit(whole->path, "function", 0);
	assert_int_equal(read_recording(whole->path, &model).samples, FLUSHES * PER_FLUSH);
	assert_int_equal(damage_of(&model, &whole->fixture), 1);
	assert_int_equal(model.functions.count, whole->fixture.model.functions.count);
	for (size_t i = 1; i < model.functions.count; i++) {
		assert_string_equal(model_string(&model, model.functions.at[i].name), "");
		assert_int_equal(model.functions.at[i].quality, QUALITY_NONE);
	}
	model_fini(&model);
}

/*
 * If a row is missing, the rows after it keep their ids, and references to the missing row lead
 * nowhere.
 */
static void test_missing_rows_leave_a_gap(void **state)
{
	struct whole *whole = *state;
	const struct model *want = &whole->fixture.model;
	struct model model;
	struct seen seen;

	tamper(whole->path, "DELETE FROM thread WHERE id = 3; DELETE FROM process WHERE id = 2;"
			    "UPDATE image SET kind = 'nonsense' WHERE id = 2");
	seen = read_recording(whole->path, &model);
	assert_int_equal(seen.samples, FLUSHES * PER_FLUSH);
	assert_int_equal(damage_of(&model, &whole->fixture), 0);
	assert_int_equal(found(&model, &whole->fixture, LOSS_ROW_DAMAGED), 3);
	assert_true(found(&model, &whole->fixture, LOSS_REFERENCE_MISSING) > 0);
	assert_int_equal(model.threads.count, want->threads.count);
	assert_int_equal(model.processes.count, want->processes.count);
	assert_int_equal(model.images.count, want->images.count);
	assert_int_equal(model.processes.at[2].tgid, 0);
	assert_int_equal(model.processes.at[3].tgid, want->processes.at[3].tgid);
	for (size_t i = 1; i < model.threads.count; i++) {
		uint32_t process = want->threads.at[i].process;

		if (i == 3)
			continue;
		assert_int_equal(model.threads.at[i].tid, want->threads.at[i].tid);
		assert_int_equal(model.threads.at[i].process, process == 2 ? 0 : process);
	}
	for (size_t i = 1; i < model.locations.count; i++)
		assert_true(model.locations.at[i].image != 2);
	model_fini(&model);
}

static void test_missing_blocks_leave_a_gap(void **state)
{
	struct whole *whole = *state;
	const struct model *want = &whole->fixture.model;
	size_t same = 0, broken = 0;
	struct model model;

	tamper(whole->path, "DELETE FROM block WHERE id = (SELECT id FROM block"
			    " WHERE kind = 'stack' ORDER BY id LIMIT 1 OFFSET 1)");
	assert_int_equal(read_recording(whole->path, &model).samples, FLUSHES * PER_FLUSH);
	assert_true(found(&model, &whole->fixture, LOSS_ROW_DAMAGED) > 0);
	assert_int_equal(model.stacks.count, want->stacks.count);
	for (size_t i = STACK_ROOT_COUNT; i < model.stacks.count; i++) {
		const struct stack_node *a = &model.stacks.at[i], *b = &want->stacks.at[i];

		same += a->parent == b->parent && a->location == b->location;
		broken += a->parent == STACK_ROOT_BROKEN && a->location == 0;
	}
	assert_int_equal(broken, found(&model, &whole->fixture, LOSS_ROW_DAMAGED));
	assert_true(same >= model.stacks.count - STACK_ROOT_COUNT - broken);
	model_fini(&model);
}

/* An id far beyond what the file has room for does not make a gap that is filled. */
static void test_gap_is_bounded(void **state)
{
	struct whole *whole = *state;
	struct model model;

	tamper(whole->path,
	       "UPDATE thread SET id = 1 << 31 WHERE id = (SELECT max(id) FROM thread)");
	(void)read_recording(whole->path, &model);
	assert_int_equal(model.threads.count, whole->fixture.model.threads.count - 1);
	model_fini(&model);
}

static void check_tampered(struct whole *whole, const char *sql)
{
	struct model model;

	tamper(whole->path, sql);
	(void)read_recording(whole->path, &model);
	if (any_damage_of(&model, &whole->fixture) == 0)
		fail_msg("unnoticed: %s", sql);
	/* Every id must be valid, because symbolizers and reports follow ids without a check. */
	for (size_t i = STACK_ROOT_COUNT; i < model.stacks.count; i++) {
		assert_true(model.stacks.at[i].parent < i);
		assert_true(model.stacks.at[i].location < model.locations.count);
	}
	for (size_t i = 1; i < model.locations.count; i++) {
		assert_true(model.locations.at[i].image < model.images.count);
		assert_true(model.locations.at[i].function < model.functions.count);
	}
	for (size_t i = 1; i < model.processes.count; i++) {
		assert_true(model.processes.at[i].parent < i);
		assert_true(model.processes.at[i].application < model.applications.count);
	}
	for (size_t i = 1; i < model.threads.count; i++)
		assert_true(model.threads.at[i].process < model.processes.count);
	for (size_t i = 1; i < model.mappings.count; i++)
		assert_true(model.mappings.at[i].image < model.images.count);
	for (size_t i = 1; i < model.functions.count; i++)
		assert_true(model.functions.at[i].image < model.images.count);
	model_fini(&model);
}

static void test_rows_that_cannot_be(void **state)
{
	static const char *const attacks[] = {
		"UPDATE thread SET process = 4000000000 WHERE id = 2",
		"UPDATE thread SET process = -1 WHERE id = 2",
		"UPDATE thread SET id = 1 << 40 WHERE id = (SELECT max(id) FROM thread)",
		"DELETE FROM thread WHERE id = 3",
		"UPDATE process SET parent = 7, id = 7 WHERE id = 7",
		"UPDATE process SET application = 99999 WHERE id = 2",
		"UPDATE block SET first = 3 WHERE kind = 'mapping'",
		"UPDATE image SET kind = 'nonsense' WHERE id = 2",
		"UPDATE image SET build_id = 'zz' WHERE id = 1",
		"UPDATE image SET build_id = hex(zeroblob(1000)) WHERE id = 1",
		"DELETE FROM image WHERE id > 3",
		"DELETE FROM block WHERE kind = 'function'",
		"DELETE FROM block WHERE kind = 'location'",
		"UPDATE block SET data = zeroblob(10) WHERE kind = 'function'",
		"DELETE FROM event",
		"UPDATE block SET first = 0 WHERE kind = 'stack'",
		"UPDATE block SET first = -1 WHERE kind = 'location'",
		"UPDATE block SET first = 1 << 40",
		"UPDATE block SET count = -1",
		"UPDATE block SET count = 1 << 40",
		"UPDATE block SET count = count - 1",
		"UPDATE block SET data = NULL",
		"UPDATE block SET data = 'text'",
		"UPDATE block SET data = zeroblob(1000000)",
		"UPDATE block SET checksum = NULL",
		"UPDATE block SET time_min_ns = 0 WHERE kind = 'sample'",
		"UPDATE block SET kind = 'location' WHERE kind = 'stack'",
		("INSERT INTO block SELECT NULL, kind, first, count, time_min_ns, time_max_ns,"
		 " checksum, data FROM block WHERE kind = 'stack'"),
		"UPDATE loss SET reason = 'nothing we know'",
		"INSERT INTO ledger(cpu) VALUES(1 << 40)",
		"UPDATE image_health SET image = 1 << 40 WHERE image = 2",
		"UPDATE image_health SET image = image + 1000000",
		"UPDATE image_health SET image = -1 WHERE image = 2",
		"UPDATE image_health SET count = -1 WHERE image = 2",
		"UPDATE image_health SET outcome = x'ff' WHERE outcome = 'whole'",
		"UPDATE image_health SET count = 1 << 40 WHERE outcome = 'samples'",
		"UPDATE image_health SET count = 1 << 62",
		"UPDATE image_health SET count = 1 << 20 WHERE outcome = 'whole'",
		"UPDATE image_health SET count = 1 << 20 WHERE outcome = 'stopped-end'",
		"UPDATE image_health SET count = 1 << 62 WHERE outcome = 'frame-pointer-frames'",
		"UPDATE ledger SET end_ns = 9223372036854775807",
		"UPDATE ledger SET start_ns = 0, end_ns = 1 << 60 WHERE cpu = 0",
		"UPDATE ledger SET user_last_ns = 1 << 62 WHERE cpu = 0",
		"UPDATE ledger SET sample_count = -1 WHERE cpu = 0",
		"UPDATE ledger SET idle_count = 1 << 50 WHERE cpu = 0",
		"UPDATE interrupt_time SET ns = 1 << 62 WHERE kind = 'device'",
		"UPDATE interrupt_time SET ns = -1 WHERE kind = 'softirq'",
		"UPDATE interrupt_time SET count = 1 << 62 WHERE kind = 'untimed'",
		"UPDATE interrupt_time SET count = 1 << 62 WHERE kind = 'cpu'",
		"UPDATE interrupt_victim SET ns = 1 << 62 WHERE kind = 'softirq'",
		"UPDATE interrupt_victim SET count = -1 WHERE kind = 'hardirq'",
		"INSERT INTO interrupt_time VALUES('no kind', 1, 1, 'x', 1, 1)",
		"INSERT INTO interrupt_time VALUES('device', 1, 1 << 40, 'x', 1, 1)",
		"INSERT INTO interrupt_time VALUES('device', -1, 1, NULL, 1, 1)",
		"INSERT INTO interrupt_victim VALUES('softirq', 1 << 40, 'x', 1, 1)",
		"INSERT INTO interrupt_victim VALUES(x'00', 7, 'x', 1, 1)",
	};

	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		(void)unlink(((struct whole *)*state)->path);
		(void)tear_down(state);
		assert_int_equal(set_up(state), 0);
		check_tampered(*state, attacks[i]);
	}
}

/* ---- impossible sums ---- */

static uint64_t walked(const struct model *model)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < model->walk_health.images.count; i++) {
		struct image_health health = model_health_of(model, i);

		assert_true(health.samples <= FLUSHES * PER_FLUSH);
		assert_true(health.whole <= health.samples);
		sum += health.samples;
	}
	return sum;
}

/*
 * Only the contradictory rows are dropped: one image, the rows of one CPU, the victims of one kind.
 */
static void test_impossible_sums(void **state)
{
	struct whole *whole = *state;
	const struct model *want = &whole->fixture.model;
	uint32_t cpu = want->interrupts.times.at[0].cpu;
	size_t of_cpu = 0;
	struct model model;

	for (size_t i = 0; i < want->interrupts.times.count; i++)
		of_cpu += want->interrupts.times.at[i].cpu == cpu;
	tamper(whole->path,
	       "UPDATE image_health SET count = count + (SELECT count FROM image_health WHERE"
	       " image = 2 AND outcome = 'samples') WHERE image = 2 AND outcome <> 'samples'");
	tamper(whole->path, "UPDATE interrupt_time SET ns = 1 << 62 WHERE vector = 0");
	(void)read_recording(whole->path, &model);
	assert_true(walked(&model) > 0);
	assert_int_equal(walked(&model), walked(want) - model_health_of(want, 2).samples);
	assert_int_equal(model.interrupts.times.count, want->interrupts.times.count - of_cpu);
	for (size_t i = 0; i < model.interrupts.times.count; i++)
		assert_true(model.interrupts.times.at[i].cpu != cpu);
	assert_int_equal(found(&model, &whole->fixture, LOSS_ROW_DAMAGED),
			 1 + of_cpu + want->interrupts.victims.count -
				 model.interrupts.victims.count);
	model_fini(&model);
}

static void check_refused(const char *path, const char *words)
{
	struct recording *recording = NULL;
	struct err err = { 0 };

	assert_int_equal(recording_open(path, &recording, &err), -EINVAL);
	if (!strstr(err.text, words) || !strstr(err.text, path))
		fail_msg("'%s' says neither '%s' nor '%s'", err.text, words, path);
}

static void test_newer_schema_is_refused(void **state)
{
	struct whole *whole = *state;

	tamper(whole->path, "PRAGMA user_version = 99");
	check_refused(whole->path, "newer");
	tamper(whole->path, "PRAGMA user_version = 1; PRAGMA application_id = 5");
	check_refused(whole->path, "recording");
}

static void test_other_files_are_refused(void **state)
{
	struct whole *whole = *state;
	char zeros[8192] = { 0 };

	check_refused(temp_file(&whole->dir, "zeros", zeros, sizeof(zeros)), "recording");
	check_refused(temp_file(&whole->dir, "empty", "", 0), "recording");
}

/* A truncated file gives what is before the cut, or an error. */
static void test_cut_short(void **state)
{
	struct whole *whole = *state;
	uint64_t before = FLUSHES * PER_FLUSH;
	struct stat st;

	assert_int_equal(stat(whole->path, &st), 0);
	for (off_t size = st.st_size - 1; size >= 0; size -= 3 * 4096 + 17) {
		struct recording *recording = NULL, *writable = NULL;
		struct seen seen = { 0 };
		struct model model;
		struct err err = { 0 };
		int rc;

		assert_int_equal(truncate(whole->path, size), 0);
		assert_int_equal(model_init(&model), 0);
		rc = recording_open(whole->path, &recording, &err);
		if (rc == 0)
			rc = recording_load(recording, &model, &err);
		if (rc == 0)
			rc = recording_each_block(recording, &model, NULL, seen_visit, &seen, &err);
		if (rc < 0)
			assert_non_null(strstr(err.text, whole->path));
		else
			assert_int_equal(found(&model, &whole->fixture, LOSS_RECORDING_CUT),
					 st.st_size - size);
		assert_true(seen.samples <= before);
		assert_true(size < st.st_size - 1 || seen.samples == before);
		before = seen.samples;
		assert_int_equal(recording_open_rw(whole->path, &writable, &err), -EINVAL);
		recording_close(recording);
		model_fini(&model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_damaged_samples_are_left_out, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_damaged_stacks_are_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damaged_locations_are_unknown, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_damaged_functions_have_no_name, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_missing_rows_leave_a_gap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_missing_blocks_leave_a_gap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_gap_is_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_rows_that_cannot_be, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_impossible_sums, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_newer_schema_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_files_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cut_short, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
