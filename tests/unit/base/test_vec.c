/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "base/vec.h"

struct pair {
	int a, b;
};

static void pushes_zeroed_elements(void **state)
{
	VEC(struct pair) pairs = VEC_INIT;

	for (int i = 0; i < 1000; i++) {
		struct pair *pair = vec_push(&pairs);

		assert_non_null(pair);
		assert_int_equal(pair->a, 0);
		assert_int_equal(pair->b, 0);
		pair->a = i;
		pair->b = -i;
	}
	assert_int_equal(pairs.count, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(pairs.at[i].a + pairs.at[i].b, 0);
	assert_int_equal(pairs.at[999].a, 999);
	vec_clear(&pairs);
	assert_int_equal(pairs.count, 0);
	assert_int_equal(vec_push(&pairs)->a, 0);
	vec_free(&pairs);
	assert_null(pairs.at);
	assert_int_equal(pairs.capacity, 0);
}

static void reserves_without_counting(void **state)
{
	VEC(struct pair) pairs = VEC_INIT;
	struct pair *before;

	assert_int_equal(vec_reserve(&pairs, 100), 0);
	assert_int_equal(pairs.count, 0);
	assert_true(pairs.capacity >= 100);
	before = pairs.at;
	for (int i = 0; i < 100; i++)
		assert_non_null(vec_push(&pairs));
	assert_ptr_equal(pairs.at, before);
	vec_free(&pairs);
}

static void impossible_sizes_change_nothing(void **state)
{
	VEC(struct pair) pairs = VEC_INIT;

	assert_non_null(vec_push(&pairs));
	assert_int_equal(vec_reserve(&pairs, SIZE_MAX / 2), -ENOMEM);
	assert_int_equal(pairs.count, 1);
	assert_int_equal(pairs.at[0].a, 0);
	vec_free(&pairs);
}

static void released_elements_are_written_again(void **state)
{
	VEC(struct pair) pairs = VEC_INIT;
	size_t last = 100000;

	vec_release(&pairs, 0);
	for (size_t i = 0; i <= last; i++)
		*vec_push(&pairs) = (struct pair){ (int)i, 1 };
	vec_release(&pairs, last);
	assert_int_equal(pairs.count, last + 1);
	assert_int_equal(pairs.at[last].a, last);
	/* of a whole page in the middle nothing is left */
	assert_int_equal(pairs.at[last / 2].b, 0);
	pairs.at[last / 2] = (struct pair){ 7, 8 };
	assert_int_equal(vec_reserve(&pairs, 4 * last), 0);
	assert_int_equal(pairs.at[last / 2].b, 8);
	assert_int_equal(pairs.at[last].b, 1);
	vec_free(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_zeroed_elements),
		cmocka_unit_test(reserves_without_counting),
		cmocka_unit_test(impossible_sizes_change_nothing),
		cmocka_unit_test(released_elements_are_written_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
