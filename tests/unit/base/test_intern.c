/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "base/hash.h"
#include "base/intern.h"

/* The things that the ids identify. */
static const char *const words[] = { NULL, "zero", "one", "two", "three" };

static bool same_word(uint32_t id, const void *search)
{
	return strcmp(words[id], search) == 0;
}

static void finds_what_was_added(void **state)
{
	struct intern index = { 0 };

	assert_int_equal(intern_find(&index, 1, same_word, "one"), 0);
	assert_int_equal(intern_add(&index, hash_bytes("one", 3), 2), 0);
	assert_int_equal(intern_find(&index, hash_bytes("one", 3), same_word, "one"), 2);
	assert_int_equal(intern_find(&index, hash_bytes("two", 3), same_word, "two"), 0);
	intern_fini(&index);
	intern_fini(&index);
}

static void equal_hashes_are_kept_apart(void **state)
{
	struct intern index = { 0 };

	for (uint32_t id = 1; id <= 4; id++)
		assert_int_equal(intern_add(&index, 42, id), 0);
	for (uint32_t id = 1; id <= 4; id++)
		assert_int_equal(intern_find(&index, 42, same_word, words[id]), id);
	assert_int_equal(intern_find(&index, 42, same_word, "five"), 0);
	intern_fini(&index);
}

/*
 * More ids than the cache in front of the table holds, so that each of its entries is used several
 * times.
 */
static void numbers_keep_their_ids(void **state)
{
	struct intern index = { 0 };

	for (int round = 0; round < 2; round++)
		for (uint32_t number = 0; number < 50000; number++) {
			uint32_t id = 0;

			assert_int_equal(intern_number(&index, number * UINT64_C(4096),
						       round ? 7 : number + 1, &id),
					 0);
			assert_int_equal(id, number + 1);
		}
	intern_fini(&index);
}

static void pairs_depend_on_their_order(void **state)
{
	assert_true(hash_pair(1, 2) != hash_pair(2, 1));
	assert_true(hash_pair(1, 2) == hash_pair(1, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_added),
		cmocka_unit_test(equal_hashes_are_kept_apart),
		cmocka_unit_test(numbers_keep_their_ids),
		cmocka_unit_test(pairs_depend_on_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
