/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source files as a hostile target may have prepared them. */
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temp.h"
#include "symbolize/source_file.h"

static struct temp_dir dir;
static const char *plain;	/* <dir>/tree/src/a.c */

static int set_up(void **state)
{
	char path[128];

	dir = temp_dir_make();
	assert_int_equal(chmod(dir.path, 0755), 0);
	plain = temp_file(&dir, "tree/src/a.c", "int a;\nint b;\n", 14);
	(void)snprintf(path, sizeof(path), "%s/tree", dir.path);
	assert_int_equal(chmod(path, 0755), 0);
	(void)snprintf(path, sizeof(path), "%s/tree/src", dir.path);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(chmod(plain, 0644), 0);
	return 0;
}

static int tear_down(void **state)
{
	temp_dir_remove(&dir);
	return 0;
}

static const char *below(const char *name)
{
	static char path[16][256];
	static unsigned int next;
	char *text = path[next++ % 16];

	(void)snprintf(text, sizeof(path[0]), "%s/%s", dir.path, name);
	return text;
}

/* Returns NULL if the file was read, otherwise the reason for the refusal. */
static const char *refused(const char *path, const struct source_options *options)
{
	static char why[SOURCE_WHY_MAX];
	struct source_text text = { .file = 7 };

	assert_int_equal(source_file_read(path, options, &text), 0);
	if (text.bytes) {
		assert_int_equal(text.starts.count, 2);
		assert_memory_equal(text.bytes, "int a;\n", 7);
		assert_true(text.mtime_ns > 0);
		source_text_fini(&text);
		return NULL;
	}
	assert_int_equal(text.size_bytes, 0);
	assert_true(text.why[0]);
	(void)snprintf(why, sizeof(why), "%s", text.why);
	return why;
}

static const struct source_options mine, public = { .only_public = true };
static const struct source_options own = { .only_public = true, .own_too = true };

static void reads_what_is_there(void **state)
{
	assert_null(refused(plain, &mine));
	assert_null(refused(plain, &public));
	assert_null(refused(below("tree/src/../src//a.c"), &public));
	assert_string_equal(refused(below("tree/src/b.c"), &mine), "No such file or directory");
	assert_string_equal(refused("src/a.c", &mine), "No such file or directory");
	assert_string_equal(refused("", &mine), "No such file or directory");
}

/* If root examines a hostile program, only files that all users may read are shown. */
static void reads_only_what_all_may(void **state)
{
	assert_int_equal(chmod(plain, 0640), 0);
	assert_null(refused(plain, &mine));
	assert_non_null(strstr(refused(plain, &public), "not readable by all"));
	assert_int_equal(chmod(plain, 0644), 0);
	assert_int_equal(chmod(below("tree"), 0750), 0);
	assert_null(refused(plain, &mine));
	assert_non_null(strstr(refused(plain, &public), "not readable by all"));
	assert_int_equal(chmod(below("tree"), 0755), 0);
	assert_null(refused(plain, &public));
}

/*
 * The user's own files are shown to this user only if nobody else can have put them there, and if
 * they are no secrets.
 */
static void reads_own_source(void **state)
{
	const char *secret = temp_file(&dir, "tree/src/id_rsa", "int a;\nint b;\n", 14);

	assert_int_equal(chmod(plain, 0600), 0);
	assert_int_equal(chmod(secret, 0600), 0);
	assert_int_equal(chmod(below("tree"), 0700), 0);
	assert_null(refused(plain, &own));
	assert_non_null(strstr(refused(plain, &public), "not readable by all"));
	assert_non_null(strstr(refused(secret, &own), "not readable by all"));
	assert_int_equal(chmod(plain, 0620), 0);
	assert_non_null(strstr(refused(plain, &own), "not readable by all"));
	assert_int_equal(chmod(plain, 0600), 0);
	assert_int_equal(chmod(below("tree"), 0770), 0);
	assert_non_null(strstr(refused(plain, &own), "not readable by all"));
	assert_int_equal(chmod(below("tree"), 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(plain, 12345, 12345), 0);
		assert_non_null(strstr(refused(plain, &own), "not readable by all"));
	}
}

static void follows_no_link(void **state)
{
	(void)temp_file(&dir, "tree/place", "", 0);
	assert_int_equal(unlink(below("tree/place")), 0);
	assert_int_equal(symlink("src", below("tree/place")), 0);
	assert_null(refused(below("tree/place/a.c"), &mine));
	assert_non_null(
		strstr(refused(below("tree/place/a.c"), &public), "through a symbolic link"));
	assert_int_equal(unlink(below("tree/place")), 0);
	assert_int_equal(symlink("src/a.c", below("tree/place")), 0);
	assert_non_null(refused(below("tree/place"), &mine));
	assert_non_null(refused(below("tree/place"), &public));
}

static void reads_only_text_of_files(void **state)
{
	static const char binary[] = "a\0b";
	const char *path = temp_file(&dir, "tree/fifo", "", 0);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_string_equal(refused(path, &mine), "not a regular file");
	assert_string_equal(refused(path, &public), "not a regular file");
	assert_string_equal(refused("/dev/zero", &mine), "not a regular file");
	assert_string_equal(refused(below("tree"), &mine), "not a regular file");
	path = temp_file(&dir, "binary", binary, sizeof(binary));
	assert_string_equal(refused(path, &mine), "not a text file");
	path = temp_file(&dir, "large", "", 0);
	assert_int_equal(truncate(path, SOURCE_BYTES_MAX + 1), 0);
	assert_string_equal(refused(path, &mine), "File too large");
}

/* All users may open these files, but root reads more from them than other users do. */
static void reads_nothing_of_the_kernel(void **state)
{
	static const char *const paths[] = { "/proc/kallsyms", "/proc/1/maps", "/proc/modules" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct source_text text = { .file = 7 };

		assert_int_equal(source_file_read(paths[i], &public, &text), 0);
		assert_int_equal(text.size_bytes, 0);
		assert_int_equal(text.starts.count, 0);
		source_text_fini(&text);
	}
}

/* Tries the full path, then shorter and shorter ends of it, and never leaves the directory. */
static void looks_below_named_directories(void **state)
{
	const struct source_options tree = { .source_dirs = { "/nowhere", below("tree") },
					     .source_dir_count = 2,
					     .only_public = true };
	const struct source_options src = { .source_dirs = { below("tree/src") },
					    .source_dir_count = 1,
					    .only_public = true };

	assert_int_equal(chmod(below("tree"), 0700), 0);
	assert_null(refused("/build/somewhere/src/a.c", &tree));
	assert_null(refused("src/a.c", &tree));
	assert_non_null(refused("/build/a.c", &tree));
	assert_null(refused("/build/a.c", &src));
	assert_non_null(refused("../src/a.c/..", &tree));
	(void)temp_file(&dir, "outside.c", "int a;\nint b;\n", 14);
	assert_non_null(refused("../outside.c", &src));
	(void)temp_file(&dir, "tree/src/link", "", 0);
	assert_int_equal(unlink(below("tree/src/link")), 0);
	assert_int_equal(symlink("../..", below("tree/src/link")), 0);
	assert_non_null(refused("link/outside.c", &src));
	(void)temp_file(&dir, "tree/src/fifo.c", "", 0);
	assert_int_equal(unlink(below("tree/src/fifo.c")), 0);
	assert_int_equal(mkfifo(below("tree/src/fifo.c"), 0644), 0);
	assert_non_null(refused("fifo.c", &src));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_what_is_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_only_what_all_may, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_own_source, set_up, tear_down),
		cmocka_unit_test_setup_teardown(follows_no_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_only_text_of_files, set_up, tear_down),
		cmocka_unit_test(reads_nothing_of_the_kernel),
		cmocka_unit_test_setup_teardown(looks_below_named_directories, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
