/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache returns an answer only for the chain that the answer was stored for. */
#include "support/test.h"

#include "intake/chain_cache.h"

/* More owners than slots, so that they compete for every slot. */
#define OWNERS (4 * CHAIN_CACHE_SLOTS)

static void test_owners_share_no_answers(void **state)
{
	const uint64_t addrs[] = { 0x1000, 0x2000, 0x3000 };
	struct chain_cache cache = { 0 };
	struct chain_answer answer;

	assert_int_equal(chain_cache_init(&cache), 0);
	for (uint32_t owner = 1; owner <= OWNERS; owner++) {
		struct chain_key key = { owner, addrs, 3 };

		assert_false(chain_cache_find(&cache, &key, &answer));
		chain_cache_put(&cache, &key, &(struct chain_answer){ .stack = owner });
		assert_true(chain_cache_find(&cache, &key, &answer));
		assert_int_equal(answer.stack, owner);
	}
	chain_cache_fini(&cache);
}

static void test_chains_share_no_answers(void **state)
{
	struct chain_cache cache = { 0 };
	struct chain_answer answer;

	assert_int_equal(chain_cache_init(&cache), 0);
	for (uint64_t i = 1; i <= OWNERS; i++) {
		const uint64_t addrs[] = { 0x1000, i };
		struct chain_key key = { 1, addrs, 2 };

		assert_false(chain_cache_find(&cache, &key, &answer));
		chain_cache_put(&cache, &key, &(struct chain_answer){ .stack = (uint32_t)i });
		assert_true(chain_cache_find(&cache, &key, &answer));
		assert_int_equal(answer.stack, i);
		key.count = 1;	/* a prefix of a chain is a different chain */
		assert_false(chain_cache_find(&cache, &key, &answer));
	}
	chain_cache_fini(&cache);
}

static void test_long_and_empty_chains_are_not_kept(void **state)
{
	uint64_t addrs[CHAIN_CACHE_FRAMES + 1] = { 0 };
	struct chain_cache cache = { 0 };
	struct chain_answer answer = { .stack = 9 };
	struct chain_key longest = { 1, addrs, CHAIN_CACHE_FRAMES };
	struct chain_key longer = { 1, addrs, CHAIN_CACHE_FRAMES + 1 }, empty = { 1, addrs, 0 };

	assert_int_equal(chain_cache_init(&cache), 0);
	chain_cache_put(&cache, &longest, &answer);
	chain_cache_put(&cache, &longer, &answer);
	chain_cache_put(&cache, &empty, &answer);
	assert_true(chain_cache_find(&cache, &longest, &answer));
	assert_false(chain_cache_find(&cache, &longer, &answer));
	assert_false(chain_cache_find(&cache, &empty, &answer));
	assert_int_equal(cache.found, 1);
	assert_int_equal(cache.missed, 2);
	chain_cache_fini(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners_share_no_answers),
		cmocka_unit_test(test_chains_share_no_answers),
		cmocka_unit_test(test_long_and_empty_chains_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
