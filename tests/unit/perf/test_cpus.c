/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Valid and invalid lists of CPUs. */
#include "support/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "perf/cpus.h"

static void assert_parsed(const char *text, const int *wanted, size_t count)
{
	struct cpus cpus = VEC_INIT;

	assert_int_equal(cpus_parse(text, &cpus, NULL), 0);
	assert_int_equal(cpus.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(cpus.at[i], wanted[i]);
	cpus_fini(&cpus);
}

static void test_lists(void **state)
{
	assert_parsed("0", (const int[]){ 0 }, 1);
	assert_parsed("0-3,8", (const int[]){ 0, 1, 2, 3, 8 }, 5);
	assert_parsed("9,2-3,3,2", (const int[]){ 2, 3, 9 }, 3);
	assert_parsed("7-7", (const int[]){ 7 }, 1);
	assert_parsed("63-65", (const int[]){ 63, 64, 65 }, 3);
	assert_parsed("8191", (const int[]){ 8191 }, 1);
}

static void test_errors_name_the_part(void **state)
{
	static const struct {
		const char *text, *named;
	} cases[] = {
		{ "", "''" },		{ "a", "'a'" },
		{ "0,3-x", "'3-x'" },	{ "0,,1", "''" },
		{ "1,", "''" },		{ "5-2,1", "'5-2'" },
		{ "8192", "'8192'" },	{ "0-99999999999999999999", "'0-99999999999999999999'" },
		{ "-1", "'-1'" },	{ "1 2", "'1 2'" },
		{ "1-2-3", "'1-2-3'" }, { "0x3", "'0x3'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpus cpus = VEC_INIT;
		struct err err = { 0 };

		assert_int_equal(cpus_parse(cases[i].text, &cpus, &err), -EINVAL);
		assert_non_null(strstr(err.text, cases[i].named));
		assert_int_equal(cpus.count, 0);
		cpus_fini(&cpus);
	}
}

static void test_intersection(void **state)
{
	struct cpus cpus = VEC_INIT, others = VEC_INIT;

	assert_int_equal(cpus_parse("0-5,9", &cpus, NULL), 0);
	assert_int_equal(cpus_parse("1,3-4,7,9-20", &others, NULL), 0);
	cpus_intersect(&cpus, &others);
	assert_int_equal(cpus.count, 4);
	assert_int_equal(cpus.at[0], 1);
	assert_int_equal(cpus.at[3], 9);
	assert_true(cpus_has(&cpus, 4));
	assert_false(cpus_has(&cpus, 5));
	assert_false(cpus_has(&cpus, 10));
	cpus_fini(&cpus);
	cpus_fini(&others);
}

static void test_online_agrees_with_libc(void **state)
{
	struct cpus cpus = VEC_INIT;

	assert_int_equal(cpus_online(&cpus, NULL), 0);
	assert_int_equal(cpus.count, sysconf(_SC_NPROCESSORS_ONLN));
	cpus_fini(&cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_errors_name_the_part),
		cmocka_unit_test(test_intersection),
		cmocka_unit_test(test_online_agrees_with_libc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
