/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/index_ranges.h"

#define COUNT 64

static uint32_t take(struct index_ranges *ranges, uint32_t count)
{
	uint32_t first = UINT32_MAX;

	assert_int_equal(index_ranges_take(ranges, count, &first), 0);
	return first;
}

static void test_first_fit_and_joining(void **state)
{
	struct index_ranges ranges;
	uint32_t first;

	assert_int_equal(index_ranges_init(&ranges, COUNT), 0);
	assert_int_equal(take(&ranges, 10), 0);
	assert_int_equal(take(&ranges, 20), 10);
	assert_int_equal(take(&ranges, 34), 30);
	assert_int_equal(index_ranges_take(&ranges, 1, &first), -ENOSPC);
	assert_int_equal(index_ranges_give(&ranges, 0, 10), 0);
	assert_int_equal(index_ranges_give(&ranges, 30, 34), 0);
	assert_int_equal(ranges.free.count, 2);
	assert_int_equal(index_ranges_take(&ranges, 40, &first), -ENOSPC);
	assert_int_equal(take(&ranges, 12), 30);
	assert_int_equal(index_ranges_give(&ranges, 30, 12), 0);
	assert_int_equal(index_ranges_give(&ranges, 10, 20), 0);
	assert_int_equal(ranges.free.count, 1);
	assert_int_equal(take(&ranges, COUNT), 0);
	index_ranges_fini(&ranges);
}

static void test_nothing_of_nothing(void **state)
{
	struct index_ranges ranges;
	uint32_t first;

	assert_int_equal(index_ranges_init(&ranges, 0), 0);
	assert_int_equal(take(&ranges, 0), 0);
	assert_int_equal(index_ranges_give(&ranges, 0, 0), 0);
	assert_int_equal(index_ranges_take(&ranges, 1, &first), -ENOSPC);
	index_ranges_fini(&ranges);
}

static void mark(uint8_t *owner, uint32_t first, uint32_t count, uint8_t from, uint8_t to)
{
	for (uint32_t i = first; i < first + count; i++) {
		assert_int_equal(owner[i], from);
		owner[i] = to;
	}
}

/* In any order, no index is handed out twice, and at the end all indexes form one range again. */
static void test_random_order(void **state)
{
	struct index_range held[8] = { 0 };
	uint8_t owner[COUNT] = { 0 };
	struct index_ranges ranges;

	srand(1);
	assert_int_equal(index_ranges_init(&ranges, COUNT), 0);
	for (int i = 0; i < 20000; i++) {
		size_t k = (size_t)rand() % 8;
		uint32_t count = 1 + (uint32_t)rand() % 16;

		mark(owner, held[k].first, held[k].count, (uint8_t)(k + 1), 0);
		assert_int_equal(index_ranges_give(&ranges, held[k].first, held[k].count), 0);
		held[k].count = index_ranges_take(&ranges, count, &held[k].first) == 0 ? count : 0;
		mark(owner, held[k].first, held[k].count, 0, (uint8_t)(k + 1));
	}
	for (size_t k = 0; k < 8; k++)
		assert_int_equal(index_ranges_give(&ranges, held[k].first, held[k].count), 0);
	assert_int_equal(ranges.free.count, 1);
	assert_int_equal(ranges.free.at[0].count, COUNT);
	index_ranges_fini(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_fit_and_joining),
		cmocka_unit_test(test_nothing_of_nothing),
		cmocka_unit_test(test_random_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
