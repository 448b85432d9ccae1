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
	u64map_remove_ptr(&map, 7, &things[0]);	/* the key maps to another thing now */
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

/* Returns a key that khash mixes to 0, for each @high: x ^ x << 11 must be @high. */
static uint64_t chosen_key(uint32_t high)
{
	uint32_t low = high;

	for (int shift = 11; shift < 32; shift *= 2)
		low ^= low << shift;
	return (uint64_t)high << 33 | low;
}

/* Keys that would all collide if the author of a file knew the positions: they would take hours. */
static void test_chosen_keys(void **state)
{
	const uint32_t count = 1000000;
	struct u64map map = { 0 };
	uint32_t value;

	for (uint32_t i = 1; i <= count; i++) {
		uint64_t key = chosen_key(i);

		assert_int_equal((uint32_t)(key >> 33 ^ key ^ key << 11), 0);
		assert_int_equal(u64map_put(&map, key, i), 0);
	}
	assert_true(u64map_get(&map, chosen_key(count / 2), &value));
	assert_int_equal(value, count / 2);
	u64map_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_walk_that_removes),
		cmocka_unit_test(test_chosen_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
