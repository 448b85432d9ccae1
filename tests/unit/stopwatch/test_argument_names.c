/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <string.h>
#include <unistd.h>

#include "stopwatch/argument_names.h"

static struct argument_names names_of(const char *text)
{
	struct point point;
	struct argument_names names;
	struct err err = { 0 };

	assert_int_equal(point_parse(text, &point, &err), 0);
	names = argument_names_of(NULL, &point);
	point_fini(&point);
	return names;
}

static void functions_of_the_kernel_have_names(void **state)
{
	struct argument_names names;

	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		skip();
	names = names_of("kernel:vfs_read");
	assert_int_equal(names.count, 4);
	assert_string_equal(names.at[0].name, "file");
	assert_string_equal(names.at[1].name, "buf");
	assert_string_equal(names.at[2].name, "count");
	assert_string_equal(names.at[3].name, "pos");
	assert_int_equal(names.at[3].value.at, 3);
	names = names_of("kernel:vfs_fallocate");
	assert_int_equal(names.count, 4);
	assert_string_equal(names.at[1].name, "mode");
	assert_int_equal(names.at[1].value.size_bytes, 4);
	assert_true(names.at[1].value.is_signed);
	assert_int_equal(names.at[2].value.size_bytes, 8);
}

/* A type of the kernel that is no function, a pattern, and a function of a program. */
static void others_have_none(void **state)
{
	assert_int_equal(names_of("kernel:task_struct").count, 0);
	assert_int_equal(names_of("kernel:vfs_*").count, 0);
	assert_int_equal(names_of("kernel:no_such_function").count, 0);
	assert_int_equal(names_of("syscall:no_such_call").count, 0);
	assert_int_equal(names_of("libc:malloc").count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_the_kernel_have_names),
		cmocka_unit_test(others_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
