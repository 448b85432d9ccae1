/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The word that a user probably meant. */
#include "support/test.h"

#include "base/nearest_word.h"

static const char *nearest(const char *wanted)
{
	static const char *const words[] = { "function", "process", "cpu", "comm", "time" };
	struct nearest_word search = { .wanted = wanted };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		nearest_word_offer(&search, words[i]);
	return search.found ? search.found : "none";
}

static void similar_words_are_found(void **state)
{
	assert_string_equal(nearest("functoin"), "function");
	assert_string_equal(nearest("functions"), "function");
	assert_string_equal(nearest("proces"), "process");
	assert_string_equal(nearest("com"), "comm");
}

static void other_words_are_not(void **state)
{
	assert_string_equal(nearest("image"), "none");
	assert_string_equal(nearest(""), "none");
	assert_string_equal(nearest("a word that is longer than all names of dimensions"), "none");
}

static void the_text_asks_only_if_a_word_was_found(void **state)
{
	char text[NEAREST_WORD_TEXT_MAX];
	struct nearest_word search = { .wanted = "tim" };

	assert_string_equal(nearest_word_text(&search, text), "");
	nearest_word_offer(&search, "time");
	assert_string_equal(nearest_word_text(&search, text), "; did you mean 'time'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(similar_words_are_found),
		cmocka_unit_test(other_words_are_not),
		cmocka_unit_test(the_text_asks_only_if_a_word_was_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
