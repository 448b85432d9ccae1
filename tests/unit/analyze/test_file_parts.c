/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many parts of a path are needed to tell files apart. */
#include "tests/support/test.h"

#include "analyze/file_parts.h"

static void settle(struct file_parts *parts, const char *const *paths)
{
	for (size_t i = 0; paths[i]; i++)
		assert_int_equal(file_parts_add(parts, paths[i]), 0);
	file_parts_settle(parts);
}

#define SETTLE(parts, ...) settle(parts, (const char *const[]){ __VA_ARGS__, NULL })

static void names_of_one_file_stay_short(void **state)
{
	struct file_parts parts = { 0 };

	assert_string_equal(file_parts_tail(&parts, "/src/main.c"), "main.c");
	SETTLE(&parts, "/src/main.c", "/src/domain.c", "/src/main.c", "/main.c/x.c", "");
	assert_string_equal(file_parts_tail(&parts, "/src/main.c"), "main.c");
	assert_string_equal(file_parts_tail(&parts, "/src/domain.c"), "domain.c");
	assert_string_equal(file_parts_tail(&parts, ""), "");
	file_parts_fini(&parts);
}

static void files_of_one_name_have_their_folders(void **state)
{
	struct file_parts parts = { 0 };

	SETTLE(&parts, "/p/e1/util.c", "/p/x.c", "/p/e2/util.c", "/p/xe1/util.c");
	assert_string_equal(file_parts_tail(&parts, "/p/e1/util.c"), "e1/util.c");
	assert_string_equal(file_parts_tail(&parts, "/p/e2/util.c"), "e2/util.c");
	assert_string_equal(file_parts_tail(&parts, "/p/xe1/util.c"), "xe1/util.c");
	assert_string_equal(file_parts_tail(&parts, "/p/x.c"), "x.c");
	file_parts_fini(&parts);
	parts = (struct file_parts){ 0 };
	SETTLE(&parts, "/a/lib/util.c", "/b/lib/util.c", "util.c", "lib/util.c");
	assert_string_equal(file_parts_tail(&parts, "/a/lib/util.c"), "a/lib/util.c");
	assert_string_equal(file_parts_tail(&parts, "/b/lib/util.c"), "b/lib/util.c");
	assert_string_equal(file_parts_tail(&parts, "lib/util.c"), "lib/util.c");
	assert_string_equal(file_parts_tail(&parts, "util.c"), "util.c");
	file_parts_fini(&parts);
}

/* The root counts as a part. */
static void a_path_from_the_root_is_another(void **state)
{
	struct file_parts parts = { 0 };

	SETTLE(&parts, "/util.c", "util.c");
	assert_string_equal(file_parts_tail(&parts, "/util.c"), "/util.c");
	assert_string_equal(file_parts_tail(&parts, "util.c"), "util.c");
	file_parts_fini(&parts);
}

static void two_sets_have_one_length(void **state)
{
	struct file_parts parts = { 0 };

	SETTLE(&parts, "/v1/e1/util.c", "/v1/e2/util.c", "/v1/main.c");
	SETTLE(&parts, "/v2/main.c", "/v2/e1/util.c");
	assert_string_equal(file_parts_tail(&parts, "/v1/main.c"), "main.c");
	assert_string_equal(file_parts_tail(&parts, "/v2/main.c"), "main.c");
	assert_string_equal(file_parts_tail(&parts, "/v1/e1/util.c"), "e1/util.c");
	assert_string_equal(file_parts_tail(&parts, "/v2/e1/util.c"), "e1/util.c");
	file_parts_fini(&parts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_one_file_stay_short),
		cmocka_unit_test(files_of_one_name_have_their_folders),
		cmocka_unit_test(a_path_from_the_root_is_another),
		cmocka_unit_test(two_sets_have_one_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
