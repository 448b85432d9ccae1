/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include "analyze/tally.h"
#include "tests/support/model_maker.h"

struct fixture {
	struct model_maker maker;
	struct profile profile;
};

static struct fixture tallied(const struct profile_options *options)
{
	struct fixture fixture;
	struct tally tally;

	model_maker_machine(&fixture.maker);
	assert_int_equal(tally_init(&tally, &fixture.maker.model, options, 25000, &fixture.profile),
			 0);
	assert_int_equal(tally_batch(&tally, &fixture.maker.batch), 0);
	tally_fini(&tally);
	return fixture;
}

static void finish(struct fixture *fixture)
{
	profile_fini(&fixture->profile);
	model_maker_fini(&fixture->maker);
}

static void test_totals(void **state)
{
	struct fixture f = tallied(&(struct profile_options){ 0 });
	uint64_t samples = 0, weight = 0, late = 0;

	assert_int_equal(f.profile.total_samples[0], 8955);
	assert_int_equal(f.profile.total_weight[0], UINT64_C(8955) * MAKER_PERIOD_NS);
	assert_int_equal(f.profile.tick_samples, 8955);
	assert_int_equal(f.profile.late_samples, 380);
	assert_int_equal(f.profile.filtered_out, 0);
	assert_int_equal(f.profile.first_ns, MAKER_START_NS);
	assert_int_equal(f.profile.hits.count, 18);	/* 17 runs, one of which is split in two */
	for (size_t i = 0; i < f.profile.hits.count; i++) {
		samples += f.profile.hits.at[i].count.samples;
		weight += f.profile.hits.at[i].count.weight;
		late += f.profile.hits.at[i].late ? f.profile.hits.at[i].count.samples : 0;
	}
	assert_int_equal(samples, 8955);
	assert_int_equal(weight, UINT64_C(8955) * MAKER_PERIOD_NS);
	assert_int_equal(late, 380);
	finish(&f);
}

/* One row of a counted event stands for several samples, whose intervals are those of as many. */
static void test_counted(void **state)
{
	struct profile_options options = { 0 };
	struct model_maker maker;
	struct profile profile;
	struct count count = { 0 };
	struct tally tally;

	model_maker_machine(&maker);
	maker.model.events.at[0].type = EVENT_TYPE_COUNTED;
	maker.model.events.at[0].frequency_hz = 1000;
	maker.batch.samples.at[0].weight = 1000 * MAKER_PERIOD_NS;
	assert_int_equal(tally_init(&tally, &maker.model, &options, 25000, &profile), 0);
	assert_int_equal(tally_batch(&tally, &maker.batch), 0);
	tally_fini(&tally);
	assert_int_equal(profile.total_samples[0], 8954 + 1000);
	assert_int_equal(profile.total_weight[0], (uint64_t)(8954 + 1000) * MAKER_PERIOD_NS);
	for (size_t i = 0; i < profile.hits.count; i++)
		count_add(&count, &profile.hits.at[i].count);
	assert_int_equal(count.samples, 8954 + 1000);
	assert_int_equal((uint64_t)(count_equal_samples(&count, true) + 0.5), 8954 + 1000);
	profile_fini(&profile);
	model_maker_fini(&maker);
}

static void test_cpus(void **state)
{
	struct fixture f = tallied(&(struct profile_options){ .by_cpu = true });

	assert_int_equal(f.profile.cpus.count, 2);
	assert_int_equal(f.profile.cpus.at[0].samples[CONTEXT_USER], 5005);
	assert_int_equal(f.profile.cpus.at[1].samples[CONTEXT_USER], 1050);
	assert_int_equal(f.profile.cpus.at[1].samples[CONTEXT_SYSCALL], 1000);
	assert_int_equal(f.profile.cpus.at[1].self_samples[CONTEXT_USER], 60);
	assert_int_equal(f.profile.cpus.at[1].self_samples[CONTEXT_SYSCALL], 40);
	assert_int_equal(f.profile.cpus.at[1].self_weight[CONTEXT_USER],
			 UINT64_C(60) * MAKER_PERIOD_NS);
	finish(&f);
}

static void test_slices(void **state)
{
	struct fixture f = tallied(&(struct profile_options){ .slice_ns = 1000000000 });
	uint64_t first = 0;

	for (size_t i = 0; i < f.profile.hits.count; i++)
		if (f.profile.hits.at[i].time_slice == 0)
			first += f.profile.hits.at[i].count.samples;
	assert_int_equal(first, 1000);	/* one second at 1000 Hz */
	finish(&f);
}

static void assert_passes(const char *key, const char *value, uint64_t expected)
{
	struct filter filter = FILTER_INIT;
	struct fixture f;

	assert_int_equal(filter_add(&filter, key, value, NULL), 0);
	f = tallied(&(struct profile_options){ .filter = &filter });
	assert_int_equal(f.profile.total_samples[0], expected);
	assert_int_equal(f.profile.filtered_out, 8955 - expected);
	assert_true(f.profile.filtered);
	finish(&f);
	filter_fini(&filter);
}

static void test_filters(void **state)
{
	assert_passes("comm", "burn", 6105);
	assert_passes("comm", "b*,s*r", 6105 + 2100 + 500);
	assert_passes("application", "server", 2100);
	assert_passes("pid", "12,300", 250);
	assert_passes("tid", "200", 2100);
	assert_passes("image", "libc.so.6", 205);
	assert_passes("image", "/lib/libc.so.6", 205);
	assert_passes("image", "libc", 0);
	assert_passes("symbol", "memcpy,serve", 805);
	assert_passes("symbol", "_start", 4000 + 1000 + 5 + 800 + 200 + 50 + 60);
	assert_passes("context", "hardirq,softirq", 450);
	assert_passes("cpu", "1", 2850);
	assert_passes("cpu", "5", 0);
	assert_passes("time", "0s-1s", 1000);
	assert_passes("time", "8.9s-", 55);
	assert_passes("event", "cpu-*", 8955);
	assert_passes("event", "cycles", 0);
}

/* The newest block of a growing file may refer to rows that are not loaded yet. */
static void test_unknown_ids(void **state)
{
	struct filter filter = FILTER_INIT;
	struct model_maker maker;
	struct profile profile;
	struct tally tally;
	struct sample *sample;

	model_maker_init(&maker);
	sample = vec_push(&maker.batch.samples);
	*sample = (struct sample){ .time_ns = MAKER_START_NS,
				   .thread = 77,
				   .stack = 1u << 30,
				   .context = 200,
				   .late_ns = LATE_UNKNOWN };
	assert_int_equal(filter_add(&filter, "symbol", "x", NULL), 0);
	assert_int_equal(filter_add(&filter, "comm", "x", NULL), 0);
	assert_int_equal(tally_init(&tally, &maker.model,
				    &(struct profile_options){ .filter = &filter }, 0, &profile),
			 0);
	assert_int_equal(tally_batch(&tally, &maker.batch), 0);
	assert_int_equal(profile.filtered_out, 1);
	tally_fini(&tally);
	profile_fini(&profile);
	assert_int_equal(
		tally_init(&tally, &maker.model, &(struct profile_options){ 0 }, 0, &profile), 0);
	assert_int_equal(tally_batch(&tally, &maker.batch), 0);
	assert_int_equal(profile.hits.at[0].end, STACK_NOT_ASKED);
	assert_int_equal(profile.hits.at[0].thread, 0);
	assert_int_equal(profile.late_samples, 0);
	tally_fini(&tally);
	profile_fini(&profile);
	filter_fini(&filter);
	model_maker_fini(&maker);
}

/*
 * A sample that waited for interrupts to be enabled counts as kernel code, not as user code or the
 * idle loop.
 */
static void test_late_contexts(void **state)
{
	static const enum context contexts[] = { CONTEXT_USER, CONTEXT_IDLE, CONTEXT_SYSCALL };
	struct model_maker maker;
	struct profile profile;
	struct tally tally;

	model_maker_init(&maker);
	for (size_t i = 0; i < 3; i++)
		maker_samples(&maker,
			      &(struct maker_run){ .context = contexts[i], .count = 5, .late = 5 });
	assert_int_equal(tally_init(&tally, &maker.model, &(struct profile_options){ 0 }, 25000,
				    &profile),
			 0);
	assert_int_equal(tally_batch(&tally, &maker.batch), 0);
	assert_int_equal(profile.late_samples, 5);
	tally_fini(&tally);
	profile_fini(&profile);
	model_maker_fini(&maker);
}

static void test_threshold(void **state)
{
	int32_t late_ns[1000];

	for (int i = 0; i < 1000; i++)
		late_ns[i] = 1000 - i;
	assert_int_equal(late_threshold(late_ns, 99), LATE_THRESHOLD_DEFAULT_NS);
	assert_int_equal(late_threshold(late_ns, 1000), 990);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_totals),	  cmocka_unit_test(test_counted),
		cmocka_unit_test(test_cpus),	  cmocka_unit_test(test_slices),
		cmocka_unit_test(test_filters),	  cmocka_unit_test(test_unknown_ids),
		cmocka_unit_test(test_threshold), cmocka_unit_test(test_late_contexts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
