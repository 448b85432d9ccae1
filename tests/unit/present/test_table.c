/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "present/table.h"

static const struct table_column columns[] = { RIGHT("hits"), LEFT("name"), LEFT("last") };

static void assert_printed(struct table *table, const char *expected)
{
	char *shown = NULL;
	size_t size;
	FILE *out = open_memstream(&shown, &size);

	assert_int_equal(table_print(table, out), 0);
	(void)fclose(out);
	assert_string_equal(shown, expected);
	free(shown);
}

static void test_aligns(void **state)
{
	struct table table = { .columns = columns, .column_count = 3 };

	table_cell(&table, "%d", 12345);
	table_name(&table, "\xc3\xbc"
			   "ber");
	table_cell(&table, "x");
	table_cell(&table, "%d", 7);
	table_name(&table, "\n");
	table_cell(&table, "y");
	assert_printed(&table, "   hits  name  last\n"
			       "  12345  \xc3\xbc"
			       "ber  x\n"
			       "      7  \\x0a  y\n");
}

static void test_spans(void **state)
{
	struct table table = { .columns = columns, .column_count = 3, .width = 24 };

	table_span(&table, "above all, and too long for that width", false);
	for (int row = 0; row < 2; row++) {
		table_cell(&table, "%d", row);
		table_cell(&table, "n");
		table_cell(&table, "y");
		if (row == 0) {
			table_span(&table, "one\x1b\\", false);
			table_span(&table, "two\x1b\\", true);
		}
	}
	assert_printed(&table, "  hits  name  last\n"
			       "  above all,...hat width\n"
			       "     0  n     y\n"
			       "  one\\x1b\\\\\n"
			       "  two\\x1b\\\n"
			       "     1  n     y\n");
}

static void test_code(void **state)
{
	static const struct table_column two[] = {
		LEFT("n"), { .title = "code", .left = true, .code = true }
	};
	struct table table = { .columns = two, .column_count = 2, .width = 20 };

	table_cell(&table, "\\n");
	table_cell(&table, "\\n\x1b");
	table_cell(&table, "2");
	table_cell(&table, "a line that is too long");
	assert_printed(&table, "  n    code\n"
			       "  \\\\n  \\n\\x1b\n"
			       "  2    a line tha...\n");
}

static void test_without_rows(void **state)
{
	struct table table = { .columns = columns, .column_count = 3 };

	assert_printed(&table, "  none\n");
}

static void assert_cut(const char *name, enum table_cut cut, size_t max, const char *expected)
{
	const struct table_column two[] = { { .title = "n", .left = true, .cut = cut, .max = max },
					    LEFT("") };
	struct table table = { .columns = two, .column_count = 2, .width = 80 };
	size_t pad = strlen(expected) > 1 ? strlen(expected) - 1 : 0;
	char lines[128];

	for (const char *at = expected; *at; at++)
		pad -= (*at & 0xc0) == 0x80;
	table_name(&table, name);
	table_name(&table, "|");
	(void)snprintf(lines, sizeof(lines), "  n%*s  \n  %s  |\n", (int)pad, "", expected);
	assert_printed(&table, lines);
}

/* Text is cut between characters and between escapes, never inside one. */
static void test_cuts(void **state)
{
	assert_cut("abcdefgh", CUT_NAME, 0, "abcdefgh");
	assert_cut("abcdefgh", CUT_NAME, 8, "abcdefgh");
	assert_cut("abcdefghi", CUT_NAME, 8, "abc...hi");
	assert_cut("/usr/lib/libc.so.6", CUT_HEAD, 11, "...ibc.so.6");
	assert_cut("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", CUT_NAME, 4, "\xc3\xbc...");
}

/* Names that would look alike are wider than their column. */
static void test_different_names_stay_different(void **state)
{
	static const struct table_column one[] = { LEFT("name") };
	struct table table = { .columns = one, .column_count = 1, .width = 22 };

	table_name(&table, "aaaaaaaaaaaaaaa1aaaaaaaaaaaaaaaa");
	table_name(&table, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
	table_name(&table, "aaaaaaaaaaaaaaa2aaaaaaaaaaaaaaaa");
	assert_printed(&table, "  name\n"
			       "  aaaaaaaaaaaaaaa1aaaaaaaaaaaaaaaa\n"
			       "  bbbbbbbbb...bbbbbbbb\n"
			       "  aaaaaaaaaaaaaaa2aaaaaaaaaaaaaaaa\n");
}

/* What belongs to a name is kept, but not what is only said about it. */
static void test_parts(void **state)
{
	static const struct table_column one[] = { LEFT("name") };
	struct table table = { .columns = one, .column_count = 1, .width = 40 };

	table_parts(&table, "|  ", "fn_1a2b", " (inlined)", " (between a and b)");
	table_parts(&table, "|  ", "fn_1a2b", " (inlined)", " (between alpha and beta)");
	table_parts(&table, "|  ", "a_name_that_needs_the_room", "", " (between a and b)");
	table_parts(&table, "|  ", "another_name_that_needs_even_more", " [3]", "");
	assert_printed(&table, "  name\n"
			       "  |  fn_1a2b (inlined) (between a and b)\n"
			       "  |  fn_1a2b (inlined) (between alph...)\n"
			       "  |  a_name_that_needs_the_room\n"
			       "  |  another_name_t...eeds_even_more [3]\n");
}

/* The last column gets the rest of the width. */
static void test_fits(void **state)
{
	static const struct table_column prose[] = { RIGHT("n"), PROSE("which means") };
	struct table table = { .columns = columns, .column_count = 3, .width = 30 };

	table_cell(&table, "%d", 12345);
	table_name(&table, "name");
	table_name(&table, "0123456789abcdef");
	assert_printed(&table, "   hits  name  last\n"
			       "  12345  name  012345...abcdef\n");
	table = (struct table){ .columns = prose, .column_count = 2, .width = 24 };
	table_cell(&table, "%d", 1);
	table_cell(&table, "one two three four five");
	assert_printed(&table, "  n  which means\n"
			       "  1  one two three four\n"
			       "     five\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aligns),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_without_rows),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_different_names_stay_different),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
