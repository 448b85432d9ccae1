/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a file into hits. */
#include "tests/support/test.h"

#include <unistd.h>

#include "analyze/profile.h"
#include "tests/support/model_maker.h"
#include "tests/support/temp.h"

struct fixture {
	struct temp_dir dir;
	char path[128];
};

static struct fixture recorded(void)
{
	struct fixture f = { .dir = temp_dir_make() };
	struct recording *recording;
	struct model_maker maker;

	(void)snprintf(f.path, sizeof(f.path), "%s/profile.assay", f.dir.path);
	model_maker_machine(&maker);
	assert_int_equal(recording_create(f.path, &recording, NULL), 0);
	assert_int_equal(recording_append(recording, &maker.model, &maker.batch, NULL), 0);
	assert_int_equal(recording_finish(recording, &maker.model, NULL), 0);
	recording_close(recording);
	model_maker_fini(&maker);
	return f;
}

static void read_back(const struct fixture *f, const struct profile_options *options,
		      struct model *model, struct profile *profile)
{
	struct recording *recording;
	struct err err;

	assert_int_equal(model_init(model), 0);
	assert_int_equal(recording_open(f->path, &recording, &err), 0);
	assert_int_equal(recording_load(recording, model, &err), 0);
	assert_int_equal(profile_read(recording, model, options, profile, &err), 0);
	recording_close(recording);
}

static void test_round_trip(void **state)
{
	struct fixture f = recorded();
	struct profile profile;
	struct model model;

	read_back(&f, &(struct profile_options){ 0 }, &model, &profile);
	assert_int_equal(profile.total_samples[0], 8955);
	assert_int_equal(profile.hits.count, 18);
	assert_int_equal(profile.late_threshold_ns, 25000);
	assert_int_equal(profile.late_samples, 380);
	assert_int_equal(profile_first_event(&profile), 0);
	profile_fini(&profile);
	model_fini(&model);
	(void)unlink(f.path);
	temp_dir_remove(&f.dir);
}

/* Blocks outside the time range are not read, and the samples inside it are unchanged. */
static void test_time_range(void **state)
{
	struct filter filter = FILTER_INIT;
	struct fixture f = recorded();
	struct profile profile;
	struct model model;

	assert_int_equal(filter_add(&filter, "time", "2s-3s", NULL), 0);
	read_back(&f, &(struct profile_options){ .filter = &filter }, &model, &profile);
	assert_int_equal(profile.total_samples[0], 1000);
	/*
	 * Times have a resolution of 128 ns, so the sample at 2 s may have been rounded to before 2
	 * s.
	 */
	assert_in_range(profile.first_ns, MAKER_START_NS + UINT64_C(2000000000),
			MAKER_START_NS + UINT64_C(2000000000) + MAKER_PERIOD_NS);
	profile_fini(&profile);
	model_fini(&model);
	filter_fini(&filter);
	(void)unlink(f.path);
	temp_dir_remove(&f.dir);
}

/*
 * Without the fact, the threshold comes from user-mode samples. They are 2 us late; kernel samples
 * are up to 400 us late.
 */
static void test_threshold_from_samples(void **state)
{
	struct fixture f = recorded();
	struct profile profile;
	struct model model;
	struct recording *recording;
	struct err err;

	assert_int_equal(model_init(&model), 0);
	assert_int_equal(recording_open(f.path, &recording, &err), 0);
	assert_int_equal(recording_load(recording, &model, &err), 0);
	for (size_t i = 0; i < model.facts.count; i++)
		if (strcmp(model_string(&model, model.facts.at[i].key), "late_threshold_ns") == 0)
			model.facts.at[i].key = model_intern(&model, "something else");
	assert_int_equal(
		profile_read(recording, &model, &(struct profile_options){ 0 }, &profile, &err), 0);
	assert_in_range(profile.late_threshold_ns, 2000 - 128, 2000);
	assert_int_equal(profile.late_samples, 380);
	recording_close(recording);
	profile_fini(&profile);
	model_fini(&model);
	(void)unlink(f.path);
	temp_dir_remove(&f.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_time_range),
		cmocka_unit_test(test_threshold_from_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
