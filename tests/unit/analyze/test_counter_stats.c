/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made-up readings, and the figures that must result from them. */
#include "tests/support/test.h"

#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "analyze/counter_table.h"

#define HARDWARE(which) \
	{ \
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##which \
	}

static void assert_near(double have, double want, double by)
{
	if (!(fabs(have - want) <= by))
		fail_msg("%.12g is not within %g of %.12g", have, by, want);
}

/* ---- one run ---- */

static void test_all_of_the_time(void **state)
{
	const struct counter_reading readings[] = { { 7, 100, 100, false, false },
						    { 5, 50, 50, false, false } };
	struct counter_value value = counter_value_of(readings, 2, 1);

	assert_near(value.value, 12, 0);
	assert_near(value.counted_share, 1, 0);
	assert_false(value.scaled || value.partial);
	assert_near(counter_value_of(readings, 1, 2).value, 7, 0);
}

/* Each place is scaled by its own share: 10 * 4 + 30 * 2. */
static void test_taking_turns(void **state)
{
	const struct counter_reading readings[] = {
		{ 10, 400, 100, false, false },
		{ 999, 1, 1, false, false },
		{ 30, 400, 200, false, false },
		{ 999, 1, 1, false, false },
	};
	struct counter_value value = counter_value_of(readings, 2, 2);

	assert_near(value.value, 100, 1e-9);
	assert_near(value.counted_share, 300.0 / 800, 1e-12);
	assert_true(value.scaled);
	assert_false(value.partial);
}

/*
 * A counter that this place does not have is not a loss. A counter that could not be read is one.
 */
static void test_absent_and_failed(void **state)
{
	const struct counter_reading readings[] = {
		{ .absent = true },
		{ 30, 400, 400, false, false },
		{ .failed = true },
	};
	struct counter_value value = counter_value_of(readings, 2, 1);

	assert_near(value.value, 30, 0);
	assert_false(value.scaled || value.partial);
	value = counter_value_of(readings, 3, 1);
	assert_near(value.value, 30, 0);
	assert_true(value.partial);
	assert_false(value.scaled);
	value = counter_value_of(readings + 2, 1, 1);
	assert_true(isnan(value.value) && value.partial);
	assert_false(counter_since(&readings[1], &readings[0]).failed);
	assert_true(counter_since(&readings[1], &readings[0]).absent);
}

static void test_never_its_turn(void **state)
{
	const struct counter_reading readings[] = {
		{ 0, 400, 0, false, false },
		{ 30, 400, 400, false, false },
		{ 0, 0, 0, true, false },
		{ 0, 0, 0, false, false },
	};
	struct counter_value value = counter_value_of(readings, 1, 1);

	assert_true(isnan(value.value) && value.scaled && value.partial);
	assert_near(value.counted_share, 0, 0);
	value = counter_value_of(readings, 4, 1);
	assert_near(value.value, 30, 0);
	assert_true(value.partial);
	assert_true(isnan(counter_value_of(readings + 2, 1, 1).value));
	/* it never ran, but nothing happened either */
	value = counter_value_of(readings + 3, 1, 1);
	assert_near(value.value, 0, 0);
	assert_false(value.scaled);
}

static void test_intervals(void **state)
{
	const struct counter_reading before = { 100, 1000, 500, false, false };
	const struct counter_reading now = { 130, 1600, 700, false, false },
				     less = { 10, 1, 1, true, false };
	struct counter_reading since = counter_since(&before, &now);

	assert_int_equal(since.value, 30);
	assert_int_equal(since.enabled_ns, 600);
	assert_int_equal(since.running_ns, 200);
	since = counter_since(&before, &less);
	assert_true(since.failed);
	assert_int_equal(since.value, 0);
}

/* ---- several runs ---- */

static void test_spread(void **state)
{
	const double values[] = { 2, 4, NAN, 4, 4, 5, 5, 7, 9 };
	struct spread spread = spread_of(values, 9);

	assert_int_equal(spread.count, 8);
	assert_near(spread.mean, 5, 1e-12);
	assert_near(spread.deviation, sqrt(32.0 / 7), 1e-12);
	assert_near(spread.half_width, 2.364624 * sqrt(32.0 / 7 / 8), 1e-5);
	spread = spread_of(values, 1);
	assert_near(spread.mean, 2, 0);
	assert_true(isnan(spread.deviation) && isnan(spread.half_width));
	assert_true(isnan(spread_of(values + 2, 1).mean));
	assert_near(spread_of((const double[]){ 3, 3, 3 }, 3).half_width, 0, 0);
}

/* Two samples whose test result is published: t = 1.959, 7.03 degrees of freedom, p = 0.0908. */
static void test_change(void **state)
{
	const double a[] = { 30.02, 29.99, 30.11, 29.97, 30.01, 29.99 };
	const double b[] = { 29.89, 29.93, 29.72, 29.98, 30.02, 29.98 };
	struct spread before = spread_of(b, 6), after = spread_of(a, 6);
	struct spread one = spread_of(a, 1), same = spread_of((const double[]){ 4, 4 }, 2),
		      other = spread_of((const double[]){ 5, 5 }, 2);
	struct change change = spread_change(&before, &after);

	assert_near(change.value, 0.095, 1e-9);
	assert_near(change.freedom, 7.03, 0.005);
	assert_near(change.value / sqrt(change.variance), 1.959, 0.0005);
	assert_near(change_p(&change, 0), 0.0908, 0.00005);
	change = spread_change(&before, &one);
	assert_near(change_p(&change, 0), 1, 0);
	change = spread_change(&same, &other);
	assert_near(change_p(&change, 0), 0, 0);
	change = spread_change(&same, &same);
	assert_near(change_p(&change, 0), 1, 0);
}

/* ---- ratios ---- */

static void test_ratios(void **state)
{
	struct counter_kind kinds[] = {
		HARDWARE(INSTRUCTIONS),
		HARDWARE(CPU_CYCLES),
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .is_time = true },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
		{ .type = PERF_TYPE_MAX, .is_time = true },
	};
	struct counter_ratio ratio;

	assert_true(counter_ratio_find(kinds, 5, 0, 4, &ratio));
	assert_string_equal(ratio.name, "instructions-per-cycle");
	assert_int_equal(ratio.by, 1);
	assert_near(counter_ratio_value(&ratio, 30, 20), 1.5, 1e-12);
	assert_true(isnan(counter_ratio_value(&ratio, 30, 0)));
	assert_true(counter_ratio_find(kinds, 5, 1, 4, &ratio));
	assert_string_equal(ratio.name, "frequency");
	assert_true(counter_ratio_find(kinds, 5, 2, 4, &ratio));
	assert_string_equal(ratio.name, "cpus-used");
	assert_int_equal(ratio.by, 4);
	assert_true(counter_ratio_find(kinds, 5, 3, 4, &ratio));
	assert_int_equal(ratio.unit, RATIO_PER_SECOND);
	assert_near(counter_ratio_value(&ratio, 3, 5e8), 6, 1e-9);
	assert_false(counter_ratio_find(kinds, 5, 4, 4, &ratio));
	kinds[1].no_kernel = true;	/* user cycles cannot be compared with all instructions */
	assert_true(counter_ratio_find(kinds, 5, 0, 4, &ratio));
	assert_string_equal(ratio.name, "rate");
	assert_false(counter_ratio_find(kinds, 5, 1, 4, &ratio));
	kinds[3].no_user = true;
	assert_false(counter_ratio_find(kinds, 5, 3, 4, &ratio));
	kinds[2].no_kernel = true;
	assert_true(counter_ratio_find(kinds, 5, 2, 4, &ratio));
	assert_string_equal(ratio.name, "cpus-used");
	kinds[2].config = PERF_COUNT_SW_DUMMY;
	assert_false(counter_ratio_find(kinds, 5, 0, 4, &ratio));
}

/* ---- tables ---- */

static void test_table(void **state)
{
	const struct counter_kind kinds[] = {
		HARDWARE(BRANCH_MISSES),
		HARDWARE(BRANCH_INSTRUCTIONS),
		{ .type = PERF_TYPE_MAX, .is_time = true },
	};
	struct counter_table table = {
		.kinds = kinds, .kind_count = 3, .event_count = 2, .place_count = 1
	};
	struct counter_reading readings[] = {
		{ 1, 10, 10, false, false },
		{ 20, 10, 10, false, false },
		{ 1, 10, 5, false, false },
		{ 20, 10, 10, false, false },
	};
	struct counter_row row;

	assert_int_equal(counter_table_add(&table, readings, 2, (const double[]){ 1e9 }), 0);
	readings[0].value = 3;
	assert_int_equal(counter_table_add(&table, readings, 2, (const double[]){ 3e9 }), 0);
	assert_int_equal(table.run_count, 2);
	assert_int_equal(counter_table_row(&table, 0, 0, &row), 0);
	assert_near(row.spread.mean, 4, 1e-12);		/* mean of 1 + 1 * 2 and 3 + 1 * 2 */
	assert_near(row.counted_share, 0.75, 1e-12);
	assert_true(row.scaled && row.has_ratio);
	assert_near(row.ratio_spread.mean, 10, 1e-12);	/* mean of 3 and 5, in percent of 40 */
	assert_int_equal(counter_table_row(&table, 0, 2, &row), 0);
	assert_near(row.spread.mean, 2e9, 1e-3);
	assert_false(row.has_ratio);

	counter_table_clear(&table);
	table.place_count = 2;
	assert_int_equal(counter_table_add(&table, readings, 2, (const double[]){ 1e9 }), 0);
	assert_near(counter_table_value(&table, 0, 0, 0)->value, 3, 0);
	assert_near(counter_table_value(&table, 0, 1, 0)->value, 2, 0);
	counter_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_the_time), cmocka_unit_test(test_taking_turns),
		cmocka_unit_test(test_never_its_turn),	cmocka_unit_test(test_absent_and_failed),
		cmocka_unit_test(test_intervals),	cmocka_unit_test(test_spread),
		cmocka_unit_test(test_change),		cmocka_unit_test(test_ratios),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
