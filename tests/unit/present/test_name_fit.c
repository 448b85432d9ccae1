/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how names that are too wide are shortened. */
#include "tests/support/test.h"

#include "present/name_fit.h"

#include <stdlib.h>
#include <string.h>

static void assert_short(const char *text, size_t columns, const char *expected)
{
	char *shown = name_shorten(&name_style_text, text, columns);

	assert_non_null(shown);
	assert_string_equal(shown, expected);
	free(shown);
}

static void what_fits_is_whole(void **state)
{
	assert_short("", 0, "");
	assert_short("abc", 3, "abc");
	assert_short("std::vector<int>::push_back(int)", 32, "std::vector<int>::push_back(int)");
}

/* Template arguments go first, the longest of the innermost ones before the others. */
static void template_arguments_go_first(void **state)
{
	const char *name = "hash_table<hash_map<timer::timevar_def*, traits<a, b> >::hash_entry, "
			   "false>::find(int, char)";

	assert_short(name, 70,
		     "hash_table<hash_map<timer::ti...>::hash_entry, false>::find(int, char)");
	assert_short(name, 50, "hash_table<hash_map<...>::has...>::find(int, char)");
	assert_short(name, 36, "hash_table<hash...>::find(int, char)");
	name = "a<b<one, two, three>, c<four>, five>::run()";
	assert_short(name, 41, "a<b<one, two...>, c<four>, five>::run()");
	assert_short(name, 30, "a<b<...>, c<...>, five>::run()");
	assert_short(name, 22, "a<b<...>, c...>::run()");
	assert_short(name, 14, "a<b...>::run()");
}

static void then_arguments_of_functions(void **state)
{
	assert_short("f(first_type, second_type)", 16, "f(first_type...)");
	assert_short("g<int>(first_type) const", 19, "g<int>(fi...) const");
	assert_short("(anonymous namespace)::long_function_name(int)", 42,
		     "(anonymous namespace..._function_name(int)");
}

static void operators_are_no_brackets(void **state)
{
	assert_short("operator<<(std::basic_ostream<char>&, thing)", 40,
		     "operator<<(std::basic_ostream<...>&...)");
	assert_short("a::operator-><long, argument>()", 24, "a::operator-><long...>()");
	assert_short("a::operator()(long, argument)", 24, "a::operator()(long...)");
}

static void then_the_middle(void **state)
{
	assert_short("abcdefghij", 9, "abc...hij");
	assert_short("abcdefghij", 4, "a...");
	assert_short("abcdefghij", 3, "abc");
	assert_short("abcdefghij", 0, "");
}

/* A character or its escape is never split. */
static void characters_stay_whole(void **state)
{
	assert_short("a\001b\001c\001d", 9, "a...d");
	assert_short("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 5, "\xc3\xbc...\xc3\xbc");
}

static void hostile_names_end(void **state)
{
	size_t length = 60000;
	char *name = malloc(length + 1), *shown;

	for (size_t i = 0; i < length; i++)
		name[i] = "<(<>)>"[i * 7 % 6];
	name[length] = '\0';
	shown = name_shorten(&name_style_text, name, 20);
	assert_non_null(shown);
	assert_true(name_width(&name_style_text, shown) <= 20);
	free(shown);
	memset(name, '<', length / 2);
	memset(name + length / 2, '>', length / 2);
	shown = name_shorten(&name_style_text, name, 20);
	assert_non_null(shown);
	assert_true(name_width(&name_style_text, shown) <= 20);
	free(shown);
	free(name);
}

static struct name_in_list in_list(const char *text)
{
	return (struct name_in_list){ .parts = { .text = text, .name = strlen(text) } };
}

static void names_of_a_list_stay_different(void **state)
{
	char texts[200][64];
	struct name_in_list names[200];

	for (int i = 0; i < 200; i++) {
		(void)snprintf(texts[i], sizeof(texts[i]),
			       "namespace_of_all::vector<thing_%03d>::push_back", i);
		names[i] = in_list(texts[i]);
	}
	assert_int_equal(names_fit(names, 200, 24, false), 0);
	for (int i = 0; i < 200; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(names[i].shown, names[j].shown);
	for (int i = 0; i < 200; i++)
		free(names[i].shown);
}

static void equal_names_of_a_list_are_not_longer(void **state)
{
	struct name_in_list names[] = { in_list("a_name_of_26_characters___"),
					in_list("a_name_of_26_characters___") };

	assert_int_equal(names_fit(names, 2, 11, false), 0);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(names[i].shown, "a_na...s___");
		free(names[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_whole),
		cmocka_unit_test(template_arguments_go_first),
		cmocka_unit_test(then_arguments_of_functions),
		cmocka_unit_test(operators_are_no_brackets),
		cmocka_unit_test(then_the_middle),
		cmocka_unit_test(characters_stay_whole),
		cmocka_unit_test(hostile_names_end),
		cmocka_unit_test(names_of_a_list_stay_different),
		cmocka_unit_test(equal_names_of_a_list_are_not_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
