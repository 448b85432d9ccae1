/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <stdio.h>

#include "base/strpool.h"

static uint32_t intern(struct strpool *pool, const char *text)
{
	uint32_t id;

	assert_int_equal(strpool_intern(pool, text, strlen(text), &id), 0);
	return id;
}

static void equal_strings_have_one_id(void **state)
{
	struct strpool pool;
	uint32_t one;

	assert_int_equal(strpool_init(&pool), 0);
	assert_int_equal(intern(&pool, ""), 0);
	assert_string_equal(strpool_get(&pool, 0), "");
	one = intern(&pool, "one");
	assert_int_not_equal(one, 0);
	assert_int_not_equal(intern(&pool, "on"), one);
	assert_int_not_equal(intern(&pool, "ones"), one);
	assert_int_equal(intern(&pool, "one"), one);
	assert_string_equal(strpool_get(&pool, one), "one");
	strpool_fini(&pool);
}

static void strings_end_at_length_nul_and_limit(void **state)
{
	char *text = test_malloc(STRPOOL_MAX + 2);
	struct strpool pool;
	uint32_t id;

	assert_int_equal(strpool_init(&pool), 0);
	assert_int_equal(strpool_intern(&pool, "onetwo", 3, &id), 0);
	assert_int_equal(id, intern(&pool, "one"));
	assert_int_equal(strpool_intern(&pool, "one\0two", 7, &id), 0);
	assert_int_equal(id, intern(&pool, "one"));
	memset(text, 'x', STRPOOL_MAX + 1);
	text[STRPOOL_MAX + 1] = '\0';
	assert_int_equal(strlen(strpool_get(&pool, intern(&pool, text))), STRPOOL_MAX);
	strpool_fini(&pool);
	test_free(text);
}

static void many_strings_stay_apart(void **state)
{
	enum { COUNT = 20000 };
	struct strpool pool;
	char text[32];

	assert_int_equal(strpool_init(&pool), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		(void)snprintf(text, sizeof(text), "string %u", i);
		assert_int_equal(intern(&pool, text), i + 1);
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		(void)snprintf(text, sizeof(text), "string %u", i);
		assert_string_equal(strpool_get(&pool, i + 1), text);
		assert_int_equal(intern(&pool, text), i + 1);
	}
	strpool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_strings_have_one_id),
		cmocka_unit_test(strings_end_at_length_nul_and_limit),
		cmocka_unit_test(many_strings_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
