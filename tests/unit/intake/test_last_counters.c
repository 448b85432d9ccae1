/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "intake/last_counters.h"

#define WIDTH 2

static struct last_counters last;

static int end(void **state)
{
	last_counters_fini(&last);
	last = (struct last_counters){ 0 };
	return 0;
}

/* Stores @value and twice that for @key. Returns false if the values before were unknown. */
static bool put(uint64_t key, uint64_t since_ns, uint64_t now_ns, uint64_t value,
		uint64_t *ret_before)
{
	bool is_known;
	uint64_t *values = last_counters_of(&last, WIDTH, key, since_ns, now_ns, &is_known);

	assert_non_null(values);
	*ret_before = values[0];
	assert_int_equal(values[1], 2 * values[0]);
	values[0] = value;
	values[1] = 2 * value;
	return is_known;
}

static void counters_begin_at_zero(void **state)
{
	uint64_t before;

	assert_true(put(7, 100, 200, 5, &before));
	assert_int_equal(before, 0);
	assert_true(put(8, 100, 210, 6, &before));
	assert_int_equal(before, 0);
	assert_true(put(7, 100, 220, 9, &before));
	assert_int_equal(before, 5);
}

/* A thread that is sampled all the time, one that comes back late, and many that come and go. */
static void memory_is_bounded(void **state)
{
	const uint64_t late = UINT64_C(1) << 40, often = late + 1;
	uint64_t before, now_ns = 1000;

	assert_true(put(late, 10, now_ns, 5, &before));
	for (uint64_t i = 1; i <= 10 * LAST_COUNTERS_MAX; i++) {
		now_ns += 10;
		assert_true(put(i, now_ns - 5, now_ns, i, &before));
		assert_int_equal(before, 0);
		assert_true(put(often, 10, now_ns, i, &before));
		assert_int_equal(before, i - 1);
		assert_true(last.rows.values.count <= (size_t)WIDTH * LAST_COUNTERS_MAX);
		assert_true(last.older.values.count <= (size_t)WIDTH * LAST_COUNTERS_MAX);
	}
	assert_false(put(late, 10, now_ns, 50, &before));
	assert_true(put(late, 10, now_ns, 60, &before));
	assert_int_equal(before, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(counters_begin_at_zero, end),
		cmocka_unit_test_teardown(memory_is_bounded, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
