/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limits of control groups, in files as the kernel shows them. */
#include "support/test.h"

#include <string.h>

#include "process/memory_limit.h"
#include "support/temp.h"

#define GROUP "/job/build"

struct limit_file {
	const char *name, *text;
};

static uint64_t limit_with(const char *groups, const struct limit_file *files, size_t count)
{
	struct temp_dir dir = temp_dir_make();
	uint64_t limit_bytes;

	(void)temp_file(&dir, "proc/self/cgroup", groups, strlen(groups));
	for (size_t i = 0; i < count; i++)
		(void)temp_file(&dir, files[i].name, files[i].text, strlen(files[i].text));
	limit_bytes = memory_limit_bytes(dir.path);
	temp_dir_remove(&dir);
	return limit_bytes;
}

static void test_the_least_of_all_groups(void **state)
{
	const struct limit_file two[] = {
		{ "sys/fs/cgroup" GROUP "/memory.max", "max\n" },
		{ "sys/fs/cgroup/job/memory.max", "65536\n" },
		{ "sys/fs/cgroup/memory.max", "131072\n" },
	};
	const struct limit_file one[] = {
		{ "sys/fs/cgroup/memory" GROUP "/memory.limit_in_bytes", "40960\n" },
		{ "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n" },
	};

	assert_int_equal(limit_with("0::" GROUP "\n", two, 3), 65536);
	assert_int_equal(limit_with("0::/\n", two, 3), 131072);
	assert_int_equal(limit_with("3:cpuset:/\n2:memory:" GROUP "\n0::/\n", one, 2), 40960);
}

static void test_no_limit_is_the_memory_of_the_machine(void **state)
{
	uint64_t all_bytes = limit_with("", NULL, 0);
	const struct limit_file strange[] = {
		{ "sys/fs/cgroup/memory.max", "-1\n" },
		{ "sys/fs/cgroup/x/memory.max", "12 apples\n" },
	};

	assert_true(all_bytes > 1 << 20 && all_bytes < UINT64_MAX);
	assert_int_equal(memory_limit_bytes("/nowhere"), all_bytes);
	assert_int_equal(limit_with("0::/x\n:\n::\nno line end", strange, 2), all_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_least_of_all_groups),
		cmocka_unit_test(test_no_limit_is_the_memory_of_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
