/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "base/u64map.h"

static void test_numbers(void **state)
{
	struct u64map map = { 0 };
	uint32_t value = 77;

	assert_false(u64map_get(&map, 1, &value));
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(u64map_put(&map, (uint64_t)i << 40, i), 0);
	assert_int_equal(u64map_put(&map, UINT64_C(5) << 40, 500), 0);
	assert_false(u64map_get(&map, 1, &value));
	assert_int_equal(value, 77);
	assert_true(u64map_get(&map, UINT64_C(5) << 40, &value));
	assert_int_equal(value, 500);
	assert_true(u64map_get(&map, UINT64_C(999) << 40, &value));
	assert_int_equal(value, 999);
	u64map_fini(&map);
	assert_false(u64map_get(&map, 0, &value));
}

static void test_pointers(void **state)
{
	struct u64map map = { 0 };
	int things[3] = { 0 };

	assert_null(u64map_get_ptr(&map, 7));
	u64map_remove_ptr(&map, 7, &things[0]);
	assert_int_equal(u64map_put_ptr(&map, 7, &things[0]), 0);
	assert_int_equal(u64map_put_ptr(&map, 7, &things[1]), 0);
	u64map_remove_ptr(&map, 7, &things[0]);	/* stands for another thing by now */
	assert_ptr_equal(u64map_get_ptr(&map, 7), &things[1]);
	u64map_remove_ptr(&map, 7, &things[1]);
	assert_null(u64map_get_ptr(&map, 7));
	u64map_fini(&map);
}

static void test_walk_that_removes(void **state)
{
	struct u64map map = { 0 };
	int things[100] = { 0 };
	size_t cursor = 0, seen = 0;
	int *thing;

	assert_null(u64map_next_ptr(&map, &cursor));
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(u64map_put_ptr(&map, i, &things[i]), 0);
	while ((thing = u64map_next_ptr(&map, &cursor))) {
		assert_int_equal((*thing)++, 0);
		u64map_remove_ptr(&map, (uint64_t)(thing - things), thing);
		seen++;
	}
	assert_int_equal(seen, 100);
	cursor = 0;
	assert_null(u64map_next_ptr(&map, &cursor));
	u64map_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_walk_that_removes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
