/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "symbolize/demangle.h"

static void assert_demangled(const char *name, const char *want)
{
	_cleanup_free_ char *text = demangle(name);

	assert_non_null(text);
	assert_string_equal(text, want);
}

static void assert_left_alone(const char *name)
{
	_cleanup_free_ char *text = demangle(name);

	assert_null(text);
}

static void knows_the_languages(void **state)
{
	assert_demangled("_ZN3foo3barEi", "foo::bar");
	assert_demangled("_ZNSt6vectorIiSaIiEE9push_backEOi",
			 "std::vector<int, std::allocator<int> >::push_back");
	assert_demangled("_RNvC7mycrate3foo", "mycrate::foo");
	assert_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
			 "core::fmt::Write::write_fmt");
	assert_demangled("_D8demangle4testFiZv", "demangle.test(int)");
}

static void leaves_other_names(void **state)
{
	assert_left_alone("main");
	assert_left_alone("");
	assert_left_alone("_");
	assert_left_alone("_start");
	assert_left_alone("_Zebra");
	assert_left_alone("_Dial");
	assert_left_alone("_Reset");
	assert_left_alone("i");
	assert_left_alone("_ZN3foo");
}

/* Each pair doubles the expansion of the pair before it: 2^100 words in under 2000 bytes. */
static void a_name_that_explodes_is_stopped(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[DEMANGLE_INPUT_MAX];
	size_t length = (size_t)snprintf(name, sizeof(name), "_Z1fISt4pairIiiE");

	for (unsigned int i = 0; i < 60; i++) {
		char id[8] = "";
		unsigned int seq = i;

		if (seq > 36)
			(void)snprintf(id, sizeof(id), "%c%c", digits[(seq - 1) / 36],
				       digits[(seq - 1) % 36]);
		else if (seq > 0)
			(void)snprintf(id, sizeof(id), "%c", digits[seq - 1]);
		length += (size_t)snprintf(name + length, sizeof(name) - length, "S_IS%s_S%s_E", id,
					   id);
	}
	(void)snprintf(name + length, sizeof(name) - length, "Evv");
	assert_left_alone(name);
}

static void long_and_deep_names_are_left(void **state)
{
	char name[DEMANGLE_INPUT_MAX + 64];

	memset(name, 'P', sizeof(name));
	memcpy(name, "_Z1fI", 5);
	memcpy(name + sizeof(name) - 5, "iEvv", 5);
	assert_left_alone(name);
	memcpy(name + DEMANGLE_INPUT_MAX - 4, "iEvv", 5);
	assert_left_alone(name);
	memcpy(name + 40, "iEvv", 5);
	assert_demangled(name, "f<int***********************************>");
}

/* Each "Qc" repeats the parameter before it. */
static void many_back_references_of_d_are_left(void **state)
{
	for (int count = 1; count < 40; count++) {
		char name[128] = "_D4test1fFAi";
		_cleanup_free_ char *text = NULL;

		for (int i = 0; i < count; i++)
			memcpy(name + 12 + 2 * i, "Qc", 3);
		memcpy(name + 12 + 2 * count, "Zv", 3);
		text = demangle(name);
		assert_int_equal(text != NULL, count <= 24);
	}
	assert_demangled("_D4test1fFAiQcZv", "test.f(int[], int[])");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_languages),
		cmocka_unit_test(leaves_other_names),
		cmocka_unit_test(a_name_that_explodes_is_stopped),
		cmocka_unit_test(long_and_deep_names_are_left),
		cmocka_unit_test(many_back_references_of_d_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
