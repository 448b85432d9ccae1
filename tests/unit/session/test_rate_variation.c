/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The random variation of the sampling rate. */
#include "support/test.h"

#include "base/clock.h"
#include "session/rate_variation.h"

#define DRAWS 100000

/* A rate has a standard deviation of 115 Hz, so the mean has one of 0.37 Hz. */
static void test_within_bounds_and_without_bias(void **state)
{
	struct rate_variation variation;
	uint64_t sum = 0, lowest = UINT64_MAX, highest = 0;

	rate_variation_init(&variation);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t rate_hz = rate_variation_draw(&variation, 0, 1000, UINT64_MAX);

		sum += rate_hz;
		lowest = rate_hz < lowest ? rate_hz : lowest;
		highest = rate_hz > highest ? rate_hz : highest;
	}
	assert_in_range(sum / DRAWS, 997, 1003);
	assert_in_range(lowest, 800, 802);
	assert_in_range(highest, 1198, 1200);
}

static void test_two_recordings_differ(void **state)
{
	struct rate_variation one, other;
	int same = 0;

	rate_variation_init(&one);
	rate_variation_init(&other);
	for (int i = 0; i < 20; i++)
		same += rate_variation_draw(&one, 0, 100000, UINT64_MAX) ==
			rate_variation_draw(&other, 0, 100000, UINT64_MAX);
	assert_true(same < 5);
}

static void test_limits(void **state)
{
	struct rate_variation variation;

	rate_variation_init(&variation);
	for (int i = 0; i < 1000; i++) {
		assert_in_range(rate_variation_draw(&variation, 0, 1000, 1000), 800, 1000);
		/* the asked rate is above the limit already, and the kernel has accepted it */
		assert_in_range(rate_variation_draw(&variation, 0, 1000, 500), 800, 1000);
		assert_int_equal(rate_variation_draw(&variation, 0, 1, UINT64_MAX), 1);
	}
}

static void test_when_due(void **state)
{
	struct rate_variation variation;

	rate_variation_init(&variation);
	assert_true(rate_variation_is_due(&variation, 1));
	(void)rate_variation_draw(&variation, NS_PER_SEC, 999, UINT64_MAX);
	assert_false(rate_variation_is_due(&variation, NS_PER_SEC + 900 * NS_PER_MSEC));
	assert_true(rate_variation_is_due(&variation, 2 * NS_PER_SEC));
	/* at 50 Hz, RATE_VARIATION_TICKS last for 3.3 to 5 s */
	(void)rate_variation_draw(&variation, 0, 50, UINT64_MAX);
	assert_false(rate_variation_is_due(&variation, 3300 * NS_PER_MSEC));
	assert_true(rate_variation_is_due(&variation, 5 * NS_PER_SEC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_within_bounds_and_without_bias),
		cmocka_unit_test(test_two_recordings_differ),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_when_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
