/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of one interrupt computed from pairs of slices, and the measurement itself. */
#include "support/test.h"

#include <errno.h>
#include <sched.h>

#include "perf/calibrate.h"

/*
 * Makes a pair whose sampled slice is @extra_ns longer than its quiet slice, with @ticks
 * interrupts.
 */
static struct calibration_pair pair(int64_t extra_ns, uint64_t ticks)
{
	return (struct calibration_pair){
		.quiet_ns = 2000000,
		.sampled_ns = (uint64_t)(2000000 + extra_ns),
		.tick_count = ticks,
	};
}

static void test_median_and_order_statistics(void **state)
{
	struct calibration_pair pairs[50];
	struct interrupt_cost cost = { 0 };

	for (int i = 0; i < 50; i++)	/* 1 to 50 us, unordered */
		pairs[i] = pair(20 * (1 + i * 7 % 50) * 1000, 20);
	assert_int_equal(interrupt_cost_of(pairs, 50, &cost), 0);
	assert_int_equal(cost.cost_ns, 25500);
	/* Binomial(50, 1/2): P(X <= 17) = 0.016, P(X <= 18) = 0.032 */
	assert_int_equal(cost.low_ns, 18000);
	assert_int_equal(cost.high_ns, 33000);
	assert_int_equal(cost.pair_count, 50);
}

static void test_stolen_slices_widen_and_do_not_move(void **state)
{
	struct calibration_pair pairs[20];
	struct interrupt_cost cost = { 0 };

	for (int i = 0; i < 20; i++)
		pairs[i] = pair(20 * 11000 + i, 20);
	for (int i = 0; i < 5; i++) {	/* either slice may be disturbed */
		pairs[i].sampled_ns += 50000000;
		pairs[19 - i].quiet_ns += 50000000;
	}
	assert_int_equal(interrupt_cost_of(pairs, 20, &cost), 0);
	assert_in_range(cost.cost_ns, 11000, 11001);
	for (int i = 0; i < 3; i++)
		/* the pairs are sorted now; these are undisturbed ones */
		pairs[5 + i].quiet_ns += 70000000;
	assert_int_equal(interrupt_cost_of(pairs, 20, &cost), 0);
	assert_int_equal(cost.low_ns, 0);		/* the data cannot exclude a cost of 0 */
	assert_in_range(cost.high_ns, 11000, 11001);
}

static void test_slices_without_ticks_say_nothing(void **state)
{
	struct calibration_pair pairs[10];
	struct interrupt_cost cost = { .cost_ns = 1 };

	for (int i = 0; i < 10; i++)
		pairs[i] = pair(i % 2 ? 90000 : 30000, i % 2 ? 0 : 3);
	assert_int_equal(interrupt_cost_of(pairs, 10, &cost), -ENODATA);
	assert_int_equal(interrupt_cost_of(pairs, 0, &cost), -ENODATA);
	assert_int_equal(cost.cost_ns, 1);
	pairs[9].tick_count = 9;	/* the pairs are sorted now; this one had no ticks */
	assert_int_equal(interrupt_cost_of(pairs, 10, &cost), 0);
	assert_int_equal(cost.cost_ns, 10000);
	assert_int_equal(cost.pair_count, 6);
	assert_int_equal(cost.low_ns, 10000);	/* with six pairs, the interval spans all of them */
	assert_int_equal(cost.high_ns, 10000);
}

static void test_share_of_a_cpu(void **state)
{
	assert_float_equal(interrupt_share(11000, 999), 0.010989, 1e-9);
}

/*
 * Whatever the cost is here, the interval must contain it. Afterwards the thread may run on the
 * same CPUs as before.
 */
static void test_live(void **state)
{
	struct interrupt_cost cost = { 0 };
	cpu_set_t before, after;
	struct err err = { 0 };
	int rc;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	rc = interrupt_cost_measure(&cost, &err);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	if (rc < 0) {
		print_message("%s\n", err.text);
		skip();
	}
	assert_true(cost.low_ns <= cost.cost_ns && cost.cost_ns <= cost.high_ns);
	assert_in_range(cost.pair_count, CALIBRATE_PAIRS_MIN, CALIBRATE_PAIRS);
	assert_in_range(cost.rate_hz, 1, CALIBRATE_RATE_HZ);
	print_message("%lu ns [%lu-%lu] of %u pairs at %u Hz\n", (unsigned long)cost.cost_ns,
		      (unsigned long)cost.low_ns, (unsigned long)cost.high_ns, cost.pair_count,
		      cost.rate_hz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_and_order_statistics),
		cmocka_unit_test(test_stolen_slices_widen_and_do_not_move),
		cmocka_unit_test(test_slices_without_ticks_say_nothing),
		cmocka_unit_test(test_share_of_a_cpu),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
