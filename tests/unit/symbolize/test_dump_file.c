/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader reads a growing file as this process does. tests/cli/record/silent-mount has a file that
 * does not answer.
 */
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temp.h"
#include "symbolize/dump_file.h"

#define FIRST "the first part, "
#define SECOND "and more"

static struct readers *start(void)
{
	static const struct reader_job *const jobs[] = { &copy_job };
	struct readers *readers;

	assert_int_equal(readers_new(jobs, 1, &readers), 0);
	return readers;
}

static void append(const char *path, const char *text)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void check_read(struct dump_file *file, uint64_t at, size_t size_bytes, const char *text)
{
	char bytes[64];

	assert_true(size_bytes <= sizeof(bytes));
	assert_int_equal(dump_file_read(file, bytes, size_bytes, at), strlen(text));
	assert_memory_equal(bytes, text, strlen(text));
}

static void check_growing(struct readers *readers)
{
	struct temp_dir dir = temp_dir_make();
	const char *path = temp_file(&dir, "jit-1.dump", "", 0);
	struct dump_file_state state;
	struct dump_file file = dump_file_of(open(path, O_RDONLY | O_CLOEXEC), NULL, NULL);

	file.readers = readers;
	append(path, FIRST);
	assert_int_equal(dump_file_look(&file, &state), 0);
	assert_int_equal(state.size_bytes, strlen(FIRST));
	assert_int_equal(state.uid, getuid());
	assert_true(S_ISREG(state.mode));
	check_read(&file, 0, 9, "the first");
	check_read(&file, 4, 60, "first part, ");
	check_read(&file, strlen(FIRST), 4, "");

	append(path, SECOND);
	assert_int_equal(dump_file_look(&file, &state), 0);
	assert_int_equal(state.size_bytes, strlen(FIRST SECOND));
	check_read(&file, strlen(FIRST), 60, SECOND);

	assert_int_equal(truncate(path, 3), 0);
	check_read(&file, 0, 60, "the");
	assert_false(file.is_silent);
	dump_file_close(&file);
	assert_int_equal(file.fd, -1);
	temp_dir_remove(&dir);
}

static void it_grows_here(void **state)
{
	check_growing(NULL);
}

static void it_grows_in_a_reader(void **state)
{
	struct readers *readers = start();

	check_growing(readers);
	readers_free(readers);
}

/* Whatever the session asks for, a reader does not take more memory than it should. */
static void too_much_is_refused(void **state)
{
	struct readers *readers = start();
	struct temp_dir dir = temp_dir_make();
	struct dump_file file = dump_file_of(
		open(temp_file(&dir, "jit-1.dump", FIRST, strlen(FIRST)), O_RDONLY | O_CLOEXEC),
		NULL, NULL);
	char byte;

	file.readers = readers;
	assert_int_equal(dump_file_read(&file, &byte, (size_t)DUMP_FILE_READ_MAX + 1, 0), 0);
	assert_false(file.is_silent);
	dump_file_close(&file);
	temp_dir_remove(&dir);
	readers_free(readers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_grows_here),
		cmocka_unit_test(it_grows_in_a_reader),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
