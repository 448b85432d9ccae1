/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of tracepoints, as the kernel describes them. */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "perf/tracefs.h"
#include "perf/tracefs_fields.h"

static void check(const char *line, const char *name, uint32_t offset, uint32_t size_bytes,
		  bool is_signed, bool is_number)
{
	struct tracefs_field field;

	assert_true(tracefs_field_parse(line, &field));
	assert_string_equal(field.name, name);
	assert_int_equal(field.offset, offset);
	assert_int_equal(field.size_bytes, size_bytes);
	assert_int_equal(field.is_signed, is_signed);
	assert_int_equal(field.is_number, is_number);
}

static void fields_are_parsed(void **state)
{
	check("\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n", "dev", 8, 4, false, true);
	check("\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;", "pid", 24, 4, true, true);
	check("\tfield:unsigned long long at;\toffset:8;\tsize:8;\tsigned:0;", "at", 8, 8, false,
	      true);
	check("\tfield:const void *ptr;\toffset:16;\tsize:8;\tsigned:0;", "ptr", 16, 8, false,
	      true);
	check("\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;", "comm", 8, 16, false,
	      false);
	check("\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;", "name", 12, 4,
	      false, false);
	check("\tfield:__rel_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;", "name", 12, 4,
	      false, false);
	check("\tfield:struct s all;\toffset:8;\tsize:24;\tsigned:0;", "all", 8, 24, false, false);
}

static void other_lines_are_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"name: block_rq_issue",
		"\tfield:",
		"\tfield:;\toffset:8;\tsize:4;\tsigned:0;",
		"\tfield:int a;\toffset:x;\tsize:4;\tsigned:0;",
		"\tfield:int a;\toffset:8;\tsize:4;",
		"\tfield:int a;\toffset:8;\tsize:99999999;\tsigned:0;",
		"\tfield:int [4];\toffset:8;\tsize:4;\tsigned:0;",
	};
	struct tracefs_field field;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(tracefs_field_parse(lines[i], &field));
}

static void long_names_are_refused(void **state)
{
	char name[TRACEFS_NAME_MAX + 1] = "", line[256];
	struct tracefs_field field;

	memset(name, 'a', TRACEFS_NAME_MAX);
	(void)snprintf(line, sizeof(line), "\tfield:int %s;\toffset:8;\tsize:4;\tsigned:0;", name);
	assert_false(tracefs_field_parse(line, &field));
	(void)snprintf(line, sizeof(line), "\tfield:int %s;\toffset:8;\tsize:4;\tsigned:0;",
		       name + 1);
	assert_true(tracefs_field_parse(line, &field));
}

static void a_tracepoint_of_this_machine(void **state)
{
	struct tracefs_fields fields;
	struct err err = { 0 };

	if (!tracefs_is_readable())
		skip();
	assert_int_equal(tracefs_fields_read("sched", "sched_wakeup", &fields, &err), 0);
	assert_true(fields.count >= 3);
	for (size_t i = 0; i < fields.count; i++)
		assert_int_not_equal(strncmp(fields.at[i].name, "common_", 7), 0);
	assert_int_equal(tracefs_fields_read("sched", "no_such", &fields, &err), -ENOENT);
	assert_int_equal(tracefs_fields_read("../sched", "sched_wakeup", &fields, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_parsed),
		cmocka_unit_test(other_lines_are_refused),
		cmocka_unit_test(long_names_are_refused),
		cmocka_unit_test(a_tracepoint_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
