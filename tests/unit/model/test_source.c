/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "model/source.h"

static struct source_text text_of(const char *bytes, size_t size_bytes)
{
	struct source_text text = { .bytes = malloc(size_bytes + 1), .size_bytes = size_bytes };

	assert_non_null(text.bytes);
	memcpy(text.bytes, bytes, size_bytes);
	assert_int_equal(source_index(&text), 0);
	return text;
}

static void lines_as_they_are_shown(void **state)
{
	static const char bytes[] = "one\r\n\n\tab\tc\nlast";
	struct source_text text = text_of(bytes, sizeof(bytes) - 1);
	char line[SOURCE_LINE_MAX];

	assert_int_equal(text.starts.count, 4);
	assert_true(source_line(&text, 1, line));
	assert_string_equal(line, "one");
	assert_true(source_line(&text, 2, line));
	assert_string_equal(line, "");
	assert_true(source_line(&text, 3, line));
	assert_string_equal(line, "        ab      c");
	assert_true(source_line(&text, 4, line));
	assert_string_equal(line, "last");
	assert_false(source_line(&text, 5, line));
	assert_string_equal(line, "");
	assert_false(source_line(&text, 0, line));
	assert_false(source_line(NULL, 1, line));
	source_text_fini(&text);
	assert_false(source_line(&text, 1, line));
}

static void long_lines_are_cut(void **state)
{
	char bytes[2 * SOURCE_LINE_MAX], line[SOURCE_LINE_MAX];
	struct source_text text;

	memset(bytes, '\t', sizeof(bytes));
	text = text_of(bytes, sizeof(bytes));
	assert_true(source_line(&text, 1, line));
	assert_in_range(strlen(line), SOURCE_LINE_MAX / 2, SOURCE_LINE_MAX - 1);
	source_text_fini(&text);
	text = text_of(bytes, 0);
	assert_int_equal(text.starts.count, 0);
	source_text_fini(&text);
}

static void paths_match_by_trailing_parts(void **state)
{
	assert_true(source_path_is("/home/x/src/main.c", "main.c"));
	assert_true(source_path_is("/home/x/src/main.c", "src/main.c"));
	assert_true(source_path_is("/home/x/src/main.c", "/home/x/src/main.c"));
	assert_true(source_path_is("main.c", "main.c"));
	assert_false(source_path_is("/home/x/src/domain.c", "main.c"));
	assert_false(source_path_is("/home/x/src/main.c", "/src/main.c"));
	assert_false(source_path_is("/home/x/src/main.c", "x/main.c"));
	assert_false(source_path_is("main.c", "src/main.c"));
	assert_false(source_path_is("main.c", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_as_they_are_shown),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(paths_match_by_trailing_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
