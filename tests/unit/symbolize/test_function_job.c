/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that a reader finds by name are those that this process finds. */
#include "support/test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support/temp.h"
#include "symbolize/function_job.h"

int found_one(int number);
int found_two(int number);

/* Not static, because a stripped test would then have no names for them. */
__attribute__((noinline)) int found_one(int number)
{
	return number * 3 + 1;
}

__attribute__((noinline)) int found_two(int number)
{
	return number * 5 + 2;
}

static int open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static struct readers *start(void)
{
	static const struct reader_job *const jobs[] = { &function_job };
	struct readers *readers;

	assert_int_equal(readers_new(jobs, 1, &readers), 0);
	return readers;
}

static const struct found_function *find(const struct found_functions *functions, const char *name)
{
	for (size_t i = 0; i < functions->list.count; i++)
		if (strcmp(functions->list.at[i].name, name) == 0)
			return &functions->list.at[i];
	return NULL;
}

static void check(struct readers *readers)
{
	struct found_functions functions;
	const struct found_function *one;
	uint8_t code[FUNCTION_CODE_BYTES];
	int fd = open_self();

	assert_int_equal(functions_find(readers, fd, "found_*", &functions), 0);
	assert_true(functions.list.count >= 2);
	assert_non_null(find(&functions, "found_two"));
	one = find(&functions, "found_one");
	assert_non_null(one);
	memcpy(code, (const void *)(uintptr_t)found_one, sizeof(code));
	assert_memory_equal(one->code, code,
			    one->size_bytes < sizeof(code) ? one->size_bytes : sizeof(code));
	assert_int_equal(pread(fd, code, sizeof(code), (off_t)one->offset), sizeof(code));
	assert_memory_equal(one->code, code,
			    one->size_bytes < sizeof(code) ? one->size_bytes : sizeof(code));
	assert_false(functions.is_go);
	assert_true(one->is_decoded && one->exit_count >= 1);
#if defined(__x86_64__)
	assert_int_equal(pread(fd, code, 1, (off_t)functions.exits.at[one->first_exit]), 1);
	assert_int_equal(code[0], 0xc3);	/* ret */
#endif
	found_functions_fini(&functions);

	assert_int_equal(functions_find(readers, fd, "no_such_function", &functions), 0);
	assert_int_equal(functions.list.count, 0);
	found_functions_fini(&functions);
	(void)close(fd);
}

static void found_here(void **state)
{
	check(NULL);
}

static void found_in_a_reader(void **state)
{
	struct readers *readers = start();

	check(readers);
	readers_free(readers);
}

static void other_files_are_refused(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct readers *readers = start();
	struct found_functions functions;
	int fd = open(temp_file(&dir, "text", "no image", 8), O_RDONLY | O_CLOEXEC);

	assert_int_equal(functions_find(readers, fd, "*", &functions), -ENOEXEC);
	assert_int_equal(functions_find(NULL, fd, "*", &functions), -ENOEXEC);
	assert_int_equal(functions_find(NULL, fd, "re:(", &functions), -ENOEXEC);
	(void)close(fd);
	readers_free(readers);
	temp_dir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_here),
		cmocka_unit_test(found_in_a_reader),
		cmocka_unit_test(other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
