/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lateness after ticks that are at phase + k * period. */
#include "support/test.h"

#include "intake/ticks.h"

#define PERIOD 1000000u
#define PHASE UINT64_C(7000123)

static uint64_t tick(uint64_t k)
{
	return PHASE + k * PERIOD;
}

static void test_first_sample_sets_the_phase(void **state)
{
	struct ticks ticks = { .period_ns = PERIOD };

	assert_int_equal(ticks_late(&ticks, tick(0)), 0);
	assert_int_equal(ticks_late(&ticks, tick(1) + 300), 300);
	assert_int_equal(ticks_late(&ticks, tick(2) + 40), 40);
}

static void test_earlier_sample_lowers_the_phase(void **state)
{
	struct ticks ticks = { .period_ns = PERIOD };

	(void)ticks_late(&ticks, tick(0) + 5000);
	assert_int_equal(ticks_late(&ticks, tick(1) + 1000), 0);
	assert_int_equal(ticks_late(&ticks, tick(2) + 1700), 700);
	assert_int_equal(ticks_late(&ticks, tick(3)), 0);
	assert_int_equal(ticks_late(&ticks, tick(4) + 5000), 5000);
}

/* The phase may be just before the end of the period and the first sample just after it. */
static void test_phase_around_the_circle(void **state)
{
	struct ticks ticks = { .period_ns = PERIOD };
	uint64_t start = 50 * (uint64_t)PERIOD;

	(void)ticks_late(&ticks, start + 20);
	assert_int_equal(ticks_late(&ticks, start + PERIOD - 20), 0);
	assert_int_equal(ticks_late(&ticks, start + 2 * (uint64_t)PERIOD + 20), 40);
}

static void test_very_late_is_not_early_once_settled(void **state)
{
	struct ticks ticks = { .period_ns = PERIOD };

	for (unsigned int k = 0; k < TICKS_SETTLED; k++)
		(void)ticks_late(&ticks, tick(k) + k % 7);
	assert_int_equal(ticks_late(&ticks, tick(TICKS_SETTLED) + 800000), 800000);
	assert_int_equal(ticks_late(&ticks, tick(TICKS_SETTLED + 1) + 90), 90);
}

static void test_lateness_fits_its_type(void **state)
{
	struct ticks ticks = { .period_ns = UINT64_C(10000000000) };

	for (unsigned int k = 1; k <= TICKS_SETTLED; k++)
		(void)ticks_late(&ticks, k * ticks.period_ns);
	assert_int_equal(ticks_late(&ticks, 40 * ticks.period_ns + UINT64_C(4000000000)),
			 INT32_MAX);
}

static void test_base_near_the_start_of_time(void **state)
{
	struct ticks ticks = { .period_ns = PERIOD };

	(void)ticks_late(&ticks, 100);
	assert_int_equal(ticks_late(&ticks, PERIOD), 0);
	assert_int_equal(ticks_late(&ticks, 2 * (uint64_t)PERIOD + 100), 100);
}

/* The record has the old period. Its time shows which period was in force. */
static void test_changed_period(void **state)
{
	struct ticks ticks = { .period_ns = PERIOD };
	uint64_t change = tick(10) + 300000;

	for (unsigned int k = 0; k < 9; k++)
		(void)ticks_late(&ticks, tick(k));
	ticks_change(&ticks, 4 * PERIOD, change);
	assert_int_equal(ticks_period(&ticks, tick(9)), PERIOD);
	assert_int_equal(ticks_late(&ticks, tick(9) + 70), 70);
	assert_int_equal(ticks_period(&ticks, change), 4 * PERIOD);
	assert_int_equal(ticks_late(&ticks, change + 4 * PERIOD), 0);
	assert_int_equal(ticks_late(&ticks, change + 8 * (uint64_t)PERIOD + 900), 900);
}

/* No sample came between two changes, so the first change is skipped. */
static void test_changed_twice(void **state)
{
	struct ticks ticks = { .period_ns = PERIOD };

	ticks_change(&ticks, 2 * PERIOD, tick(1));
	ticks_change(&ticks, 3 * PERIOD, tick(5));
	assert_int_equal(ticks_period(&ticks, tick(4)), 2 * PERIOD);
	assert_int_equal(ticks_late(&ticks, tick(6)), 0);
	assert_int_equal(ticks.period_ns, 3 * PERIOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_sample_sets_the_phase),
		cmocka_unit_test(test_earlier_sample_lowers_the_phase),
		cmocka_unit_test(test_phase_around_the_circle),
		cmocka_unit_test(test_very_late_is_not_early_once_settled),
		cmocka_unit_test(test_lateness_fits_its_type),
		cmocka_unit_test(test_base_near_the_start_of_time),
		cmocka_unit_test(test_changed_period),
		cmocka_unit_test(test_changed_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
