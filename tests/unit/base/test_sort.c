/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <stdlib.h>

#include "base/sort.h"

struct element {
	uint32_t place;		/* before sorting */
	uint64_t number;
	uint32_t guard;		/* the complement of place */
};

/* Fills the array with numbers from @next. */
static struct element *make_elements(size_t count, uint64_t (*next)(void))
{
	struct element *elements = calloc(count, sizeof(*elements));

	assert_non_null(elements);
	for (uint32_t i = 0; i < count; i++)
		elements[i] = (struct element){ i, next(), ~i };
	return elements;
}

static void assert_sorted(const uint64_t *before, const struct element *elements, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct element *here = &elements[i];

		assert_true(here->place < count);
		assert_int_equal(here->guard, ~here->place);
		assert_true(here->number == before[here->place]);
		if (i == 0)
			continue;
		assert_true(here[-1].number <= here->number);
		if (here[-1].number == here->number)
			assert_true(here[-1].place < here->place);
	}
}

static void check(size_t count, uint64_t (*next)(void))
{
	struct element *elements = make_elements(count, next);
	uint64_t *before = calloc(count, sizeof(*before));

	assert_non_null(before);
	for (size_t i = 0; i < count; i++)
		before[i] = elements[i].number;
	assert_int_equal(sort_by_number(elements, count, sizeof(*elements),
					offsetof(struct element, number)),
			 0);
	assert_sorted(before, elements, count);
	free(before);
	free(elements);
}

static uint64_t any_number(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t one_of_five(void)
{
	return any_number() % 5 * UINT64_C(0x3333333333333333);
}

static uint64_t kernel_address(void)
{
	return UINT64_C(0xffffffff81000000) + any_number() % 0x2000000;
}

static uint64_t same_number(void)
{
	return 42;
}

static uint64_t falling_number(void)
{
	static uint64_t number = UINT64_MAX;

	return number--;
}

static void test_numbers_rise(void **state)
{
	check(100000, any_number);
	check(100000, kernel_address);
	check(5000, falling_number);
}

static void test_equal_numbers_keep_their_order(void **state)
{
	check(3000, one_of_five);
	check(3000, same_number);
}

static void test_small_arrays(void **state)
{
	assert_int_equal(sort_by_number(NULL, 0, 8, 0), 0);
	check(1, any_number);
	for (int i = 0; i < 100; i++) {
		check(2, any_number);
		check(3, one_of_five);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_rise),
		cmocka_unit_test(test_equal_numbers_keep_their_order),
		cmocka_unit_test(test_small_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
