/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events' shares are weighted. */
#include "tests/support/test.h"

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
		{ { .is_time = true }, false },		/* waits */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(count_goes_by_weight(&cases[i].event), cases[i].by_weight);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
