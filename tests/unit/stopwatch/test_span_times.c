/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "stopwatch/span_times.h"

#define COUNT 20000

static void put(struct span_sum *sum, uint64_t ns)
{
	sum->count++;
	sum->ns += ns;
	if (sum->least < UINT64_MAX - ns)
		sum->least = UINT64_MAX - ns;
	if (sum->most_ns < ns)
		sum->most_ns = ns;
	sum->square_low += (ns * ns) & UINT32_MAX;
	sum->square_high += (ns * ns) >> 32;
	sum->buckets[span_bucket(ns)]++;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Every duration is in the bucket that begins at or before it and ends after it. */
static void buckets_cover_all_durations(void **state)
{
	for (uint64_t ns = 0; ns < 5000; ns++) {
		uint32_t bucket = span_bucket(ns);

		assert_true(span_bucket_start_ns(bucket) <= ns);
		assert_true(ns < span_bucket_start_ns(bucket + 1));
	}
	for (uint32_t bits = 13; bits < 50; bits++) {
		uint64_t ns = (UINT64_C(1) << bits) + bits;
		uint32_t bucket = span_bucket(ns);
		uint64_t start_ns = span_bucket_start_ns(bucket);

		assert_true(start_ns <= ns && ns < span_bucket_start_ns(bucket + 1));
		assert_true(span_bucket_start_ns(bucket + 1) - start_ns <= start_ns / SPAN_STEPS);
	}
	assert_int_equal(span_bucket(UINT64_MAX), SPAN_BUCKETS - 1);
}

static void figures_are_those_of_the_durations(void **state)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };
	uint64_t *all = calloc(COUNT, sizeof(*all));
	struct span_sum sums[2] = { 0 };
	struct span_times times = { 0 };
	double total = 0, square = 0;
	unsigned int seed = 3;

	assert_non_null(all);
	for (int i = 0; i < COUNT; i++) {
		double uniform = (rand_r(&seed) + 1.0) / (RAND_MAX + 1.0);

		all[i] = (uint64_t)(1000 - 50000 * log(uniform));
		put(&sums[i % 2], all[i]);
		total += (double)all[i];
	}
	for (int i = 0; i < COUNT; i++)
		square += pow((double)all[i] - total / COUNT, 2);
	span_times_add(&times, &sums[0]);
	span_times_add(&times, &sums[1]);
	qsort(all, COUNT, sizeof(*all), compare);
	assert_int_equal(times.count, COUNT);
	assert_int_equal(times.least_ns, all[0]);
	assert_int_equal(times.most_ns, all[COUNT - 1]);
	assert_true(fabs(span_mean_ns(&times) - total / COUNT) < 1e-3);
	assert_true(fabs(span_deviation_ns(&times) / sqrt(square / (COUNT - 1)) - 1) < 1e-6);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct span_percentile have = span_percentile(&times, shares[i]);
		double want = (double)all[(size_t)(shares[i] * COUNT) - 1];

		assert_true(fabs(have.ns / want - 1) < 0.02);
		assert_true(have.is_known && have.low_ns <= want && want <= have.high_ns);
		/* the distribution's own percentile */
		want = 1000 - 50000 * log(1 - shares[i]);
		assert_true(have.low_ns <= want && want <= have.high_ns);
	}
	free(all);
}

static void few_durations_have_no_upper_limit(void **state)
{
	struct span_sum sum = { 0 };
	struct span_times times = { 0 };

	assert_int_equal((int)span_percentile(&times, 0.5).ns, 0);
	for (int i = 0; i < 10; i++)
		put(&sum, 100);
	span_times_add(&times, &sum);
	assert_int_equal((int)span_percentile(&times, 0.5).ns, 100);
	assert_true(span_percentile(&times, 0.5).is_known);
	assert_false(span_percentile(&times, 0.99).is_known);
	assert_true(isinf(span_percentile(&times, 0.99).high_ns));
}

static void the_cost_of_probes_is_subtracted(void **state)
{
	struct span_sum sum = { 0 };
	struct span_times times = { 0 };

	for (int i = 0; i < 1000; i++)
		put(&sum, i % 2 ? 1300 : 300);
	put(&sum, 100);
	span_times_add(&times, &sum);
	span_times_subtract(&times, 200);
	assert_int_equal(times.least_ns, 0);
	assert_int_equal(times.most_ns, 1100);
	assert_true(fabs(times.total_ns - (500 * 1100.0 + 500 * 100.0 - 100)) < 1e-6);
	assert_true(fabs(span_deviation_ns(&times) - 500) < 2);
	assert_true(fabs(span_percentile(&times, 0.25).ns / 100 - 1) < 0.1);
	assert_true(fabs(span_percentile(&times, 0.75).ns / 1100 - 1) < 0.1);
}

/* As if all durations had been in one sum, whichever part comes first, and if one is empty. */
static void parts_are_merged(void **state)
{
	struct span_sum sums[3] = { { .no_amount = 2 }, { 0 }, { 0 } };
	struct span_times together = { 0 };

	for (uint64_t i = 0; i < 100; i++)
		put(&sums[i % 3 ? 1 : 2], 1000 + i * i);
	sums[1].counts[1] = 5;
	sums[1].misses[0] = 3;
	sums[1].off_ns = 40;
	sums[2].counts[1] = 6;
	sums[2].misses[0] = 4;
	sums[2].probes_ns = 50;
	sums[2].incomplete = 1;
	for (size_t i = 0; i < 3; i++)
		span_times_add(&together, &sums[i]);
	for (size_t first = 0; first < 3; first++) {
		struct span_times times = { 0 };

		for (size_t i = 0; i < 3; i++) {
			struct span_times part = { 0 };

			span_times_add(&part, &sums[(first + i) % 3]);
			span_times_merge(&times, &part);
		}
		assert_int_equal(times.count, 100);
		assert_int_equal(times.least_ns, 1000);
		assert_int_equal(times.most_ns, 1000 + 99 * 99);
		assert_int_equal((uint64_t)times.counts[1], 11);
		assert_int_equal(times.misses[0], 7);
		assert_int_equal(times.no_amount, 2);
		assert_int_equal(times.incomplete, 1);
		assert_int_equal((uint64_t)times.off_ns, 40);
		assert_int_equal((uint64_t)times.probes_ns, 50);
		assert_memory_equal(times.buckets, together.buckets, sizeof(times.buckets));
		assert_true(fabs(span_deviation_ns(&times) - span_deviation_ns(&together)) < 1e-3);
		assert_true(fabs(times.total_ns - (100 * 1000 + 328350)) < 1e-3);
	}
}

/* The probes of many short calls took less than was foretold. */
static void long_calls_stay_in_the_total(void **state)
{
	struct span_sum sum = { 0 };
	struct span_times times = { 0 };

	for (int i = 0; i < 1000; i++)
		put(&sum, 100);
	put(&sum, 4096);
	put(&sum, 16384);
	span_times_add(&times, &sum);
	span_times_subtract(&times, 200);
	assert_int_equal((uint64_t)times.total_ns, 4096 + 16384 - 2 * 200);

	/* one long call, which is not at the beginning of its bucket */
	sum = (struct span_sum){ 0 };
	times = (struct span_times){ 0 };
	for (int i = 0; i < 1000; i++)
		put(&sum, 100);
	put(&sum, 4200);
	span_times_add(&times, &sum);
	span_times_subtract(&times, 200);
	assert_int_equal((uint64_t)times.total_ns, 4000);
}

static void intervals_are_differences(void **state)
{
	struct span_sum sum = { 0 };
	struct span_times before = { 0 }, times = { 0 };

	put(&sum, 100);
	put(&sum, 900000);
	sum.misses[SPAN_OPEN] = 2;
	span_times_add(&before, &sum);
	for (uint64_t ns = 5000; ns < 5010; ns++)
		put(&sum, ns);
	sum.misses[SPAN_OPEN] = 5;
	span_times_add(&times, &sum);
	span_times_since(&times, &before);
	assert_int_equal(times.count, 10);
	assert_int_equal((uint64_t)times.total_ns, 50045);
	assert_int_equal(times.misses[SPAN_OPEN], 3);
	assert_true(times.least_ns <= 5000 && times.least_ns > 4400);
	assert_true(times.most_ns >= 5009 && times.most_ns < 5700);
	assert_true(fabs(span_percentile(&times, 0.5).ns - 5005) < 400);
	before = times;
	span_times_since(&times, &before);
	assert_int_equal(times.count, 0);
	assert_int_equal(times.least_ns, 0);
	assert_int_equal(times.most_ns, 0);
}

/* What was there since the start is known exactly. */
static void the_first_interval_is_exact(void **state)
{
	struct span_sum sum = { 0 };
	struct span_times before = { 0 }, times = { 0 };

	put(&sum, 123);
	put(&sum, 45678);
	span_times_add(&times, &sum);
	span_times_since(&times, &before);
	assert_int_equal(times.least_ns, 123);
	assert_int_equal(times.most_ns, 45678);
}

static void counters_are_sums_without_the_probes(void **state)
{
	const uint64_t cost[SPAN_COUNTERS] = { 10, 100 };
	struct span_sum sum = { 0 };
	struct span_times before = { 0 }, times = { 0 };

	for (int i = 0; i < 5; i++)
		put(&sum, 100);
	sum.counts[0] = 1000;
	sum.counts[1] = 70;
	sum.incomplete = 1;
	span_times_add(&before, &sum);
	times = before;
	span_times_subtract_counts(&times, cost);
	assert_int_equal((uint64_t)times.counts[0], 950);
	assert_int_equal((uint64_t)times.counts[1], 0);
	assert_int_equal((uint64_t)span_mean_count(&times, 0), 190);

	put(&sum, 100);
	sum.counts[0] += 7;
	times = (struct span_times){ 0 };
	span_times_add(&times, &sum);
	span_times_since(&times, &before);
	assert_int_equal((uint64_t)times.counts[0], 7);
	assert_int_equal(times.incomplete, 0);
	times.count = 0;
	assert_true(isnan(span_mean_count(&times, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_cover_all_durations),
		cmocka_unit_test(figures_are_those_of_the_durations),
		cmocka_unit_test(few_durations_have_no_upper_limit),
		cmocka_unit_test(parts_are_merged),
		cmocka_unit_test(the_cost_of_probes_is_subtracted),
		cmocka_unit_test(long_calls_stay_in_the_total),
		cmocka_unit_test(intervals_are_differences),
		cmocka_unit_test(the_first_interval_is_exact),
		cmocka_unit_test(counters_are_sums_without_the_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
