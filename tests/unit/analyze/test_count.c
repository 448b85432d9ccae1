/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events' shares are weighted, and the intervals of shares that are partly measured. */
#include "tests/support/test.h"

#include <math.h>

#include "analyze/count.h"

static void test_by_weight(void **state)
{
	static const struct {
		struct event event;
		bool by_weight;
	} cases[] = {
		{ { .period = 100000 }, false },
		{ { .frequency_hz = 99 }, true },
		/* from a file: each sample has its own weight */
		{ { .period = 0 }, true },
		{ { .is_time = true, .period = 10 }, false },
		{ { .is_time = true, .frequency_hz = 99 }, false },
		{ { .is_time = true, .period = 10, .frequency_hz = 99 }, true },
		{ { .is_time = true }, false },
		{ { .is_time = true, .period = 1 }, true },	/* waits */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(count_goes_by_weight(&cases[i].event), cases[i].by_weight);
}

static void a_measured_share_has_no_interval(void **state)
{
	const struct count whole = { .samples = 4, .weight = 1000, .measured = 1000 };
	const struct count part = { .samples = 1, .weight = 250, .measured = 250 };
	struct interval interval = count_interval(&part, &whole, true);

	assert_true(count_is_exact(&whole, true));
	assert_false(count_is_few(&part, true));
	assert_true(fabs(interval.low - (0.25)) < 1e-9);
	assert_true(fabs(interval.high - (0.25)) < 1e-9);
}

/* Half of the whole is measured, so the interval is half as wide as that of the other half. */
static void only_the_sampled_part_is_uncertain(void **state)
{
	const struct count whole = { 200, 2000, 1000, 100 * 100.0 };
	const struct count part = { 50, 700, 200, 50 * 100.0 };
	struct interval mixed = count_interval(&part, &whole, true);
	struct interval sampled = interval_share(50, 100);

	assert_false(count_is_exact(&whole, true));
	assert_true(fabs(mixed.low - (0.1 + sampled.low / 2)) < 1e-9);
	assert_true(fabs(mixed.high - (0.1 + sampled.high / 2)) < 1e-9);
}

static void few_samples_of_the_sampled_part_are_few(void **state)
{
	const struct count many = { 1000, 2000, 1000, 1000 };
	const struct count few = { 1000, 2000, 1000, 1000 * 1000 };

	assert_false(count_is_few(&many, true));
	assert_true(count_is_few(&few, true));
	assert_true(count_is_few(&(struct count){ .samples = 9, .weight = 9 }, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_weight),
		cmocka_unit_test(a_measured_share_has_no_interval),
		cmocka_unit_test(only_the_sampled_part_is_uncertain),
		cmocka_unit_test(few_samples_of_the_sampled_part_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
