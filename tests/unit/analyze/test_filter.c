/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include "analyze/filter.h"
#include "model/context.h"

static void assert_refused(const char *key, const char *value, const char *expected)
{
	struct filter filter = FILTER_INIT;
	struct err err = { 0 };

	assert_int_equal(filter_add(&filter, key, value, &err), -EINVAL);
	if (!strstr(err.text, expected))
		fail_msg("'%s' says nothing of '%s'", err.text, expected);
	filter_fini(&filter);
}

static void test_accepts(void **state)
{
	struct filter filter = FILTER_INIT;

	assert_false(filter_is_set(&filter));
	assert_int_equal(filter_add(&filter, "comm", "cc1,as*", NULL), 0);
	assert_int_equal(filter_add(&filter, "comm", "ld", NULL), 0);
	assert_int_equal(filter_add(&filter, "pid", "1,4294967295", NULL), 0);
	assert_int_equal(filter_add(&filter, "cpu", "0-3,8", NULL), 0);
	assert_int_equal(filter_add(&filter, "context", "user,softirq", NULL), 0);
	assert_true(filter_is_set(&filter));
	assert_int_equal(filter.comms.list.count, 3);
	assert_true(filter_patterns_match(&filter.comms, "ascii"));
	assert_false(filter_patterns_match(&filter.comms, "gas"));
	assert_int_equal(filter.tgids.list.at[1], UINT32_MAX);
	assert_int_equal(filter.cpus.list.count, 5);
	assert_int_equal(filter.cpus.list.at[4], 8);
	assert_int_equal(filter.contexts, 1u << CONTEXT_USER | 1u << CONTEXT_SOFTIRQ);
	filter_fini(&filter);
}

static void assert_time(const char *value, uint64_t from_ns, uint64_t to_ns)
{
	struct filter filter = FILTER_INIT;

	assert_int_equal(filter_add(&filter, "time", value, NULL), 0);
	assert_int_equal(filter.from_ns, from_ns);
	assert_int_equal(filter.to_ns, to_ns);
}

static void test_time(void **state)
{
	assert_time("1.5s-3s", 1500000000, 3000000000);
	assert_time("500ms-", 500000000, UINT64_MAX);
	assert_time("-20us", 0, 20000);
	assert_time("1-2", 1000000000, 2000000000);
	assert_refused("time", "10%-20%", "FROM-TO");
	assert_refused("time", "3s-1s", "FROM-TO");
	assert_refused("time", "1s", "FROM-TO");
	assert_refused("time", "inf-", "FROM-TO");
	assert_refused("time", "1e300-", "FROM-TO");
	assert_refused("time", "1s-2s-3s", "FROM-TO");
	assert_refused("time", "1s-2s,3s-4s", "second time range");
}

/* A name as a report prints it can be used in a filter. */
static void test_spelled_out(void **state)
{
	struct filter filter = FILTER_INIT;

	assert_int_equal(filter_add(&filter, "image", "[kernel]", NULL), 0);
	assert_int_equal(filter_add(&filter, "symbol", "map<int\\,char>::at,f\\*", NULL), 0);
	assert_true(filter_patterns_match(&filter.images, "[kernel]"));
	assert_int_equal(filter.symbols.list.count, 2);
	assert_string_equal(filter.symbols.list.at[0].text, "map<int,char>::at");
	assert_true(filter_patterns_match(&filter.symbols, "f*"));
	assert_false(filter_patterns_match(&filter.symbols, "fun"));
	filter_fini(&filter);
}

/* Between slashes a comma belongs to the expression, and an image path is never an expression. */
static void test_expressions(void **state)
{
	struct filter filter = FILTER_INIT;

	assert_int_equal(filter_add(&filter, "symbol", "/^f{1,2}$/,re:^g\\,h,/i", NULL), 0);
	assert_int_equal(filter.symbols.list.count, 3);
	assert_true(filter_patterns_match(&filter.symbols, "ff"));
	assert_false(filter_patterns_match(&filter.symbols, "fff"));
	assert_true(filter_patterns_match(&filter.symbols, "g,hello"));
	assert_true(filter_patterns_match(&filter.symbols, "/i"));
	assert_int_equal(filter_add(&filter, "image", "/opt/a,b/", NULL), 0);
	assert_int_equal(filter.images.list.count, 2);
	assert_false(filter_patterns_match(&filter.images, "opt/a,b"));
	filter_fini(&filter);
}

static void test_refuses(void **state)
{
	assert_refused("symbol", "a,/(/", "'/(/' is not an extended regular expression");
	assert_refused("colour", "red", "comm, application, pid");
	assert_refused("pid", "abc", "abc");
	assert_refused("pid", "-1", "-1");
	assert_refused("pid", "4294967296", "4294967296");
	assert_refused("cpu", "3-1", "3-1");
	assert_refused("cpu", "0-99999999", "range");
	assert_refused("context", "kernal", "did you mean 'kernel'");
	assert_refused("context", "nowhere", "softirq");
	assert_refused("comm", "a,,b", "empty");
	assert_refused("comm", "", "empty");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepts),	    cmocka_unit_test(test_time),
		cmocka_unit_test(test_spelled_out), cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
