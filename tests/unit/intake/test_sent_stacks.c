/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks that samples refer to: kept, found, dropped, and too many. */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "intake/sent_stacks.h"

#define MANY_WORDS (SENT_STACKS_BYTES / sizeof(uint64_t))
#define WORDS_MAX (SENT_STACKS_FACTOR * MANY_WORDS)

#define LARGEST_WORDS 640	/* about the largest stack that the sampler sends */
#define HEADER_WORDS 2		/* per stack that is kept */

static const uint64_t addrs[LARGEST_WORDS] = { 11, 12, 13, 14, 15 };

static struct record_stack stack_of(uint64_t hash, size_t kernel_count, size_t user_count)
{
	return (struct record_stack){
		.hash = hash,
		.stop = UNWIND_STOP_UNREADABLE,
		.life = hash << 40 | 7,
		.kernel = addrs,
		.user = addrs + kernel_count,
		.kernel_count = kernel_count,
		.user_count = user_count,
	};
}

static int keep(struct sent_stacks *stacks, uint64_t hash, size_t kernel_count, size_t user_count)
{
	struct record_stack stack = stack_of(hash, kernel_count, user_count);

	return sent_stacks_keep(stacks, &stack);
}

static bool has(const struct sent_stacks *stacks, uint64_t hash)
{
	struct record_stack found;

	return sent_stacks_find(stacks, hash, &found);
}

static void assert_found(const struct sent_stacks *stacks, const struct record_stack *wanted)
{
	struct record_stack found = { 0 };

	assert_true(sent_stacks_find(stacks, wanted->hash, &found));
	assert_int_equal(found.hash, wanted->hash);
	assert_int_equal(found.life, wanted->life);
	assert_int_equal(sent_stacks_life(stacks, wanted->hash), wanted->life);
	assert_int_equal(found.stop, wanted->stop);
	assert_int_equal(found.kernel_count, wanted->kernel_count);
	assert_int_equal(found.user_count, wanted->user_count);
	for (size_t i = 0; i < found.kernel_count; i++)
		assert_int_equal(found.kernel[i], wanted->kernel[i]);
	for (size_t i = 0; i < found.user_count; i++)
		assert_int_equal(found.user[i], wanted->user[i]);
}

static void test_found_as_kept(void **state)
{
	static const size_t counts[][2] = { { 2, 3 }, { 0, 1 }, { 1, 0 }, { 0, 0 }, { 127, 512 } };
	const size_t count = sizeof(counts) / sizeof(counts[0]);
	struct sent_stacks stacks = { 0 };

	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(keep(&stacks, i + 1, counts[i][0], counts[i][1]), 0);
	for (uint64_t i = 0; i < count; i++) {
		struct record_stack wanted = stack_of(i + 1, counts[i][0], counts[i][1]);

		assert_found(&stacks, &wanted);
	}
	assert_false(has(&stacks, count + 1));
	assert_int_equal(sent_stacks_life(&stacks, count + 1), 0);
	sent_stacks_fini(&stacks);
	assert_false(has(&stacks, 1));
}

/* Two CPUs may send the same stack. It takes up room once, and the first copy stays. */
static void test_sent_twice_is_one(void **state)
{
	struct sent_stacks stacks = { 0 };
	struct record_stack first = stack_of(5, 1, 2);
	size_t words;

	assert_int_equal(keep(&stacks, 5, 1, 2), 0);
	words = stacks.words.count;
	assert_int_equal(keep(&stacks, 5, 1, 4), 0);
	assert_int_equal(stacks.words.count, words);
	assert_found(&stacks, &first);
	sent_stacks_fini(&stacks);
}

/*
 * The collector requested all stacks again from time 1000 on. Until then samples refer to the old
 * ones.
 */
static void test_dropped_when_the_epoch_has_come(void **state)
{
	struct sent_stacks stacks = { 0 };

	assert_int_equal(keep(&stacks, 1, 0, 3), 0);
	sent_stacks_advance(&stacks, UINT64_MAX);	/* no request was made */
	assert_true(has(&stacks, 1));
	stacks.epoch_ns = 1000;
	sent_stacks_advance(&stacks, 999);
	assert_true(has(&stacks, 1));
	assert_int_equal(keep(&stacks, 2, 0, 3), 0);
	sent_stacks_advance(&stacks, 1000);
	assert_false(has(&stacks, 1));
	assert_false(has(&stacks, 2));
	assert_int_equal(stacks.epoch_ns, 0);
	assert_int_equal(keep(&stacks, 1, 0, 2), 0);
	sent_stacks_advance(&stacks, 2000);	/* only once */
	assert_true(has(&stacks, 1));
	sent_stacks_fini(&stacks);
}

static uint64_t fill(struct sent_stacks *stacks, size_t words)
{
	uint64_t hash = 0;

	while (stacks->words.count + LARGEST_WORDS < words)
		assert_int_equal(keep(stacks, ++hash, 0, LARGEST_WORDS - HEADER_WORDS), 0);
	return hash;
}

static void test_many_once(void **state)
{
	struct sent_stacks stacks = { 0 };
	uint64_t last = fill(&stacks, MANY_WORDS);

	assert_false(sent_stacks_are_many(&stacks));
	assert_int_equal(keep(&stacks, last + 1, 0, LARGEST_WORDS - HEADER_WORDS), 0);
	assert_int_equal(keep(&stacks, last + 2, 0, LARGEST_WORDS - HEADER_WORDS), 0);
	assert_true(sent_stacks_are_many(&stacks));
	stacks.epoch_ns = 1;	/* requested; not reported again before that time has come */
	assert_false(sent_stacks_are_many(&stacks));
	sent_stacks_advance(&stacks, 1);
	assert_false(sent_stacks_are_many(&stacks));
	sent_stacks_fini(&stacks);
}

/* A stack that does not fit is not kept. Stacks that were kept are unchanged. */
static void test_full(void **state)
{
	struct sent_stacks stacks = { 0 };
	uint64_t last = fill(&stacks, WORDS_MAX);
	size_t left = WORDS_MAX - stacks.words.count;
	struct record_stack kept = stack_of(last, 0, LARGEST_WORDS - HEADER_WORDS);

	assert_int_equal(keep(&stacks, last + 1, 0, left - HEADER_WORDS + 1), -ENOSPC);
	assert_false(has(&stacks, last + 1));
	assert_found(&stacks, &kept);
	/* The stack is already known, so it needs no room. */
	assert_int_equal(keep(&stacks, last, 0, LARGEST_WORDS - HEADER_WORDS), 0);
	assert_int_equal(keep(&stacks, last + 1, 0, left - HEADER_WORDS), 0);
	assert_int_equal(stacks.words.count, WORDS_MAX);
	assert_int_equal(keep(&stacks, last + 2, 0, 0), -ENOSPC);
	assert_true(has(&stacks, last + 1));
	sent_stacks_fini(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_as_kept),
		cmocka_unit_test(test_sent_twice_is_one),
		cmocka_unit_test(test_dropped_when_the_epoch_has_come),
		cmocka_unit_test(test_many_once),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
