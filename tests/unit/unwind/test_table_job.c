/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that a reader builds are those that this process builds. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support/temp.h"
#include "unwind/table_job.h"

static const struct reader_job *const jobs[] = { &table_job };

static struct readers *start(void)
{
	struct readers *readers;

	assert_int_equal(readers_new(jobs, 1, &readers), 0);
	return readers;
}

/* Returns false if there is no such file. */
static bool compare(struct readers *readers, const char *path)
{
	struct unwind_table here = { 0 }, there = { 0 };
	struct image_file file;

	if (image_file_open(AT_FDCWD, path, &file, NULL) < 0)
		return false;
	assert_int_equal(unwind_table_build(&file, &here, NULL), 0);
	assert_int_equal(table_job_ask(readers, &file, &there), 0);
	assert_int_equal(here.base_vaddr, there.base_vaddr);
	assert_int_equal(here.fde_count, there.fde_count);
	assert_int_equal(here.rows.count, there.rows.count);
	assert_true(here.rows.count > 0);
	assert_memory_equal(here.rows.at, there.rows.at, here.rows.count * sizeof(*here.rows.at));
	assert_int_equal(here.rules.count, there.rules.count);
	assert_memory_equal(here.rules.at, there.rules.at,
			    here.rules.count * sizeof(*here.rules.at));
	unwind_table_fini(&here);
	unwind_table_fini(&there);
	image_file_fini(&file);
	return true;
}

static void tables_are_equal(void **state)
{
	static const char *const paths[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/usr/bin/python3",
		"/usr/bin/git",
		"/usr/bin/perf",
	};
	struct readers *readers = start();
	int compared = compare(readers, "/proc/self/exe");

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		compared += compare(readers, paths[i]);
	assert_true(compared > 1);
	readers_free(readers);
}

static void a_damaged_file_has_an_error(void **state)
{
	struct readers *readers = start();
	struct temp_dir dir = temp_dir_make();
	const char *path = temp_file(&dir, "text", "not an ELF file", 15);
	struct image_file file = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct unwind_table table;

	assert_true(file.fd >= 0);
	assert_int_equal(table_job_ask(readers, &file, &table), -ENOEXEC);
	(void)close(file.fd);
	temp_dir_remove(&dir);
	readers_free(readers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_equal),
		cmocka_unit_test(a_damaged_file_has_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
