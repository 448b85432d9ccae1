/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"

static bool matches(const char *text, enum pattern_kind kind, const char *name)
{
	struct pattern pattern = { 0 };
	struct err err = { 0 };
	bool does;

	if (pattern_compile(text, kind, &pattern, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(pattern.text, text);
	does = pattern_matches(&pattern, name);
	pattern_fini(&pattern);
	return does;
}

static void test_shell_patterns_match_the_whole_name(void **state)
{
	assert_true(matches("main", PATTERN_NAME, "main"));
	assert_false(matches("main", PATTERN_NAME, "domain"));
	assert_true(matches("*main*", PATTERN_NAME, "domains"));
	assert_true(matches("f[xy]?", PATTERN_NAME, "fy1"));
	assert_false(matches("m.*", PATTERN_NAME, "main"));
}

static void test_a_name_matches_itself(void **state)
{
	static const char *const names[] = {
		"[kernel]", "operator new[](unsigned long)", "f(int*, char?)", "a[", "\\", "",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(matches(names[i], PATTERN_NAME, names[i]));
}

static void test_parameters_can_be_left_out(void **state)
{
	assert_true(matches("f", PATTERN_NAME, "f(int) const"));
	assert_true(matches("a::f*", PATTERN_NAME, "a::fun()"));
	assert_true(matches("f", PATTERN_NAME, "f(void (*)(int), g<1>)"));
	assert_true(matches("(anonymous namespace)::f(int)", PATTERN_NAME,
			    "(anonymous namespace)::f(int)"));
	assert_true(matches("*::f", PATTERN_NAME, "a::(anonymous namespace)::f(int)"));
	assert_true(matches("m<int ?*>::at", PATTERN_NAME, "m<int (*)(char)>::at(int)"));
	assert_false(matches("operator", PATTERN_NAME, "operator()(int)"));
	assert_false(matches("f", PATTERN_NAME, "f(int)::g(int)"));
	assert_false(matches("f(char)", PATTERN_NAME, "f(int)"));
	assert_false(matches("f", PATTERN_NAME, "f(int"));
	assert_false(matches("f", PATTERN_NAME, "g(f)"));
}

static void test_suffixes_of_compilers_can_be_left_out(void **state)
{
	assert_true(matches("f", PATTERN_NAME, "f.constprop.0"));
	assert_true(matches("a_?", PATTERN_NAME, "a_b.part.0.isra.0.cold"));
	assert_true(matches("f", PATTERN_NAME, "f.llvm.1234567890"));
	assert_true(matches("main.f", PATTERN_NAME, "main.f.cold"));
	assert_true(matches("f(int)", PATTERN_NAME, "f(int) [clone .part.0] [clone .cold]"));
	assert_true(matches("f", PATTERN_NAME, "f(int) [clone .part.0]"));
	assert_true(matches("f.isra.0", PATTERN_NAME, "f.isra.0"));
	assert_false(matches("f", PATTERN_NAME, "f.isra.0.g"));
	assert_false(matches("main", PATTERN_NAME, "main.f"));
	assert_false(matches("main", PATTERN_NAME, "main.f.0"));
	assert_false(matches("f", PATTERN_NAME, "f.0"));
	assert_false(matches("f", PATTERN_NAME, "f.coldest"));
	assert_false(matches("", PATTERN_NAME, ".cold"));
	assert_false(matches("f", PATTERN_NAME, "g.cold"));
}

static void test_expressions_match_any_part(void **state)
{
	assert_true(matches("/ai/", PATTERN_NAME, "main"));
	assert_true(matches("re:ai", PATTERN_NAME, "main"));
	assert_true(matches("/^(main|exit)$/", PATTERN_NAME, "exit"));
	assert_false(matches("/^main$/", PATTERN_NAME, "domain"));
	assert_true(matches("re:", PATTERN_NAME, "anything"));
	assert_true(matches("//", PATTERN_NAME, "//"));
	assert_false(matches("//", PATTERN_NAME, "main"));
}

static void test_paths_are_no_expressions(void **state)
{
	assert_true(matches("/usr/lib*/", PATTERN_PATH, "/usr/lib64/"));
	assert_false(matches("/usr/", PATTERN_PATH, "usr"));
	assert_true(matches("re:libc[.]so", PATTERN_PATH, "/usr/lib/libc.so.6"));
}

static void test_only_the_beginning_of_a_long_name_is_compared(void **state)
{
	char name[PATTERN_NAME_MAX + 3];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	name[PATTERN_NAME_MAX - 1] = 'b';
	name[PATTERN_NAME_MAX] = 'c';
	assert_true(matches("/b$/", PATTERN_NAME, name));
	assert_false(matches("/c/", PATTERN_NAME, name));
	assert_true(matches("*bc*", PATTERN_NAME, name));
}

static void assert_refused(const char *text, const char *expected)
{
	struct pattern pattern = { 0 };
	struct err err = { 0 };

	assert_int_equal(pattern_compile(text, PATTERN_NAME, &pattern, &err), -EINVAL);
	if (!strstr(err.text, expected) || !strstr(err.text, text))
		fail_msg("'%s' says nothing of '%s' or '%s'", err.text, expected, text);
}

static void test_refuses(void **state)
{
	assert_refused("/(/", "extended regular expression");
	assert_refused("re:[", "extended regular expression");
	assert_refused("/(a*)*\\1b/", "refers back");
	assert_refused("re:(((a{0,30}){0,30}){0,30})b", "repeat counts");
	assert_refused("/a{99999999999999999999}/", "repeat counts");
	assert_refused("/(a{30}){,40}/", "repeat counts");
	assert_true(matches("/^a{3}b{2,4}\\{\\\\1$/", PATTERN_NAME, "aaabb{\\1"));
}

static void test_resemblance(void **state)
{
	assert_true(pattern_resembles_expression("^main"));
	assert_true(pattern_resembles_expression("ma.*"));
	assert_true(pattern_resembles_expression("a\\|b"));
	assert_false(pattern_resembles_expression("/^main/"));
	assert_false(pattern_resembles_expression("main*"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shell_patterns_match_the_whole_name),
		cmocka_unit_test(test_a_name_matches_itself),
		cmocka_unit_test(test_parameters_can_be_left_out),
		cmocka_unit_test(test_suffixes_of_compilers_can_be_left_out),
		cmocka_unit_test(test_expressions_match_any_part),
		cmocka_unit_test(test_paths_are_no_expressions),
		cmocka_unit_test(test_only_the_beginning_of_a_long_name_is_compared),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_resemblance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
