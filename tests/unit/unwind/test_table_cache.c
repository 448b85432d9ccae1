/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "support/temp.h"
#include "unwind/table_cache.h"

#define LIMIT (1u << 20)

struct fixture {
	struct temp_dir temp;
	char dir[128];
	struct table_cache cache;
	struct unwind_row rows[3];
	struct unwind_rule rules[3];
	struct unwind_table table;
};

static const struct table_id one = { (const uint8_t *)"\x01\x23\xab", 3 };

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->temp = temp_dir_make();
	(void)snprintf(f->dir, sizeof(f->dir), "%s/cache", f->temp.path);
	f->rules[1].kind = UNWIND_UNSUPPORTED;
	f->rules[2] = (struct unwind_rule){ .kind = UNWIND_CFA,
					    .cfa_base = UNWIND_BASE_SP,
					    .cfa_offset = 8,
					    .ra_base = UNWIND_BASE_CFA,
					    .ra_offset = -8 };
	f->rows[0] = (struct unwind_row){ .offset = 0, .rule = 2 };
	f->rows[1] = (struct unwind_row){ .offset = 7, .rule = 1 };
	f->rows[2] = (struct unwind_row){ .offset = UINT32_MAX, .rule = 0 };
	f->table.base_vaddr = 0x1234;
	f->table.fde_count = 5;
	f->table.damaged_count = 6;
	f->table.unsupported_rows = 7;
	f->table.far_count = 8;
	f->table.rows.at = f->rows;
	f->table.rows.count = 3;
	f->table.rules.at = f->rules;
	f->table.rules.count = 3;
	assert_int_equal(table_cache_open(f->dir, LIMIT, &f->cache, NULL), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	DIR *dir = opendir(f->dir);
	const struct dirent *dirent;

	while (dir && (dirent = readdir(dir)))
		(void)unlinkat(dirfd(dir), dirent->d_name, 0);
	(void)closedir(dir);
	(void)rmdir(f->dir);
	table_cache_close(&f->cache);
	temp_dir_remove(&f->temp);
	free(f);
	return 0;
}

static const char *path_of(const struct fixture *f, const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	return path;
}

static void put_file(const struct fixture *f, const char *name, size_t size_bytes, time_t age_s)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - age_s } };
	_cleanup_close_ int fd = open(path_of(f, name), O_CREAT | O_WRONLY, 0600);

	times[1] = times[0];
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size_bytes), 0);
	assert_int_equal(futimens(fd, times), 0);
}

static bool exists(const struct fixture *f, const char *name)
{
	return access(path_of(f, name), F_OK) == 0;
}

static void store(struct fixture *f)
{
	assert_int_equal(table_cache_store(&f->cache, &one, &f->table, NULL), 0);
}

static int load(struct fixture *f)
{
	struct unwind_table table;
	int rc = table_cache_load(&f->cache, &one, &table);

	if (rc == 1)
		unwind_table_fini(&table);
	return rc;
}

static void what_is_stored_comes_back(void **state)
{
	struct fixture *f = *state;
	struct unwind_table table;
	struct stat st;

	assert_int_equal(table_cache_load(&f->cache, &one, &table), 0);
	store(f);
	assert_int_equal(table_cache_load(&f->cache, &one, &table), 1);
	assert_int_equal(table.base_vaddr, 0x1234);
	assert_int_equal(table.rows.count, 3);
	assert_memory_equal(table.rows.at, f->rows, sizeof(f->rows));
	assert_int_equal(table.rules.count, 3);
	assert_memory_equal(table.rules.at, f->rules, sizeof(f->rules));
	assert_int_equal(table.fde_count, 5);
	assert_int_equal(table.damaged_count, 6);
	assert_int_equal(table.unsupported_rows, 7);
	assert_int_equal(table.far_count, 8);
	unwind_table_fini(&table);
	assert_int_equal(stat(f->dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(stat(path_of(f, "0123ab.unwind"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, table_file_size(&f->table));
}

/* It is also worth storing that an image has no unwind information. */
static void empty_tables_are_tables(void **state)
{
	struct fixture *f = *state;
	struct unwind_table table;

	f->table.rows.count = 0;
	store(f);
	assert_int_equal(table_cache_load(&f->cache, &one, &table), 1);
	assert_int_equal(table.rows.count, 0);
	assert_int_equal(unwind_table_find(&table, 0x1234)->kind, UNWIND_GAP);
	unwind_table_fini(&table);
}

static void each_damaged_byte_is_found(void **state)
{
	struct fixture *f = *state;
	size_t size_bytes = (size_t)table_file_size(&f->table);

	for (size_t i = 0; i <= size_bytes; i++) {
		_cleanup_close_ int fd = -1;
		uint8_t byte = 0;

		store(f);
		fd = open(path_of(f, "0123ab.unwind"), O_RDWR);
		if (i < size_bytes) {
			assert_int_equal(pread(fd, &byte, 1, (off_t)i), 1);
			byte ^= 0x10;
		}
		/* the last case: one byte more */
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)i), 1);
		assert_int_equal(load(f), 0);
		assert_false(exists(f, "0123ab.unwind"));
		store(f);
		assert_int_equal(truncate(path_of(f, "0123ab.unwind"), (off_t)i), 0);
		assert_int_equal(load(f), i == size_bytes);
	}
}

/* Anyone can compute a checksum. So impossible values are refused even if the checksum is right. */
static void impossible_numbers_are_refused(void **state)
{
	struct fixture *f = *state;
	const struct unwind_row row = f->rows[1];
	const struct unwind_rule rule = f->rules[2];

	for (unsigned int i = 0; i < 9; i++) {
		f->rows[1] = row;
		f->rules[2] = rule;
		f->rules[0] = (struct unwind_rule){ 0 };
		f->table.rules.count = 3;
		switch (i) {
		case 0:
			f->rows[1].rule = 3;
			break;
		case 1:
			f->rows[1].unused = 1;
			break;
		case 2:
			f->rows[1].offset = 0;
			break;
		case 3:
			f->rules[2].kind = UNWIND_KIND_COUNT;
			break;
		case 4:
			f->rules[2].cfa_base = UNWIND_BASE_KEPT + 1;
			break;
		case 5:
			f->rules[2].fp_base = UNWIND_BASE_EXTRA;
			break;
		case 6:
			f->rules[2].ra_base = UNWIND_BASE_EXTRA;
			break;
		case 7:
			f->rules[0] = rule;
			break;
		case 8:
			f->table.rules.count = 1;
			break;
		}
		store(f);
		assert_int_equal(load(f), 0);
		assert_false(exists(f, "0123ab.unwind"));
	}
}

static void files_of_others_are_not_believed(void **state)
{
	struct fixture *f = *state;
	const struct table_id other = { (const uint8_t *)"\x99", 1 };
	char target[256];

	store(f);
	assert_int_equal(chmod(path_of(f, "0123ab.unwind"), 0620), 0);
	assert_int_equal(load(f), 0);
	assert_int_equal(chmod(path_of(f, "0123ab.unwind"), 0600), 0);
	(void)snprintf(target, sizeof(target), "%s", path_of(f, "99.unwind"));
	assert_int_equal(rename(path_of(f, "0123ab.unwind"), target), 0);
	assert_int_equal(symlink(target, path_of(f, "0123ab.unwind")), 0);
	assert_int_equal(load(f), 0);
	store(f);	/* replaces the link and does not write through it */
	assert_int_equal(load(f), 1);
	assert_int_equal(table_cache_load(&f->cache, &other, &(struct unwind_table){ 0 }), 0);
	assert_false(exists(f, "99.unwind"));	/* the content has another build-id */
	assert_int_equal(mkfifo(path_of(f, "99.unwind"), 0600), 0);
	assert_int_equal(table_cache_load(&f->cache, &other, &(struct unwind_table){ 0 }), 0);
}

static void directories_of_others_are_refused(void **state)
{
	struct fixture *f = *state;
	struct table_cache cache;
	struct err err = { 0 };
	char link[160];

	assert_int_equal(chmod(f->dir, 0770), 0);
	assert_int_equal(table_cache_open(f->dir, LIMIT, &cache, &err), -EPERM);
	assert_non_null(strstr(err.text, f->dir));
	assert_int_equal(cache.dir_fd, -1);
	assert_int_equal(table_cache_store(&cache, &one, &f->table, NULL), 0);
	assert_int_equal(table_cache_load(&cache, &one, &(struct unwind_table){ 0 }), 0);
	assert_int_equal(chmod(f->dir, 0700), 0);
	(void)snprintf(link, sizeof(link), "%s/link", f->temp.path);
	assert_int_equal(symlink(f->dir, link), 0);
	assert_int_equal(table_cache_open(link, LIMIT, &cache, &err), -ENOTDIR);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(table_cache_open("/proc/1/none", LIMIT, &cache, &err), -ENOENT);
	if (geteuid() == 0) {
		assert_int_equal(chown(f->dir, 12345, 12345), 0);
		assert_int_equal(table_cache_open(f->dir, LIMIT, &cache, &err), -EPERM);
		assert_int_equal(chown(f->dir, 0, 0), 0);
	}
}

static void the_oldest_go_first(void **state)
{
	struct fixture *f = *state;

	put_file(f, "aa.unwind", LIMIT / 2, 300);
	put_file(f, "bb.unwind", LIMIT / 2, 400);
	put_file(f, "cc.unwind", LIMIT / 4, 100);
	put_file(f, "dd.77.tmp", 10, 100);
	put_file(f, "ee.77.tmp", 10, 100000);
	put_file(f, "other.unwind", LIMIT, 1000);
	put_file(f, ".unwind", LIMIT, 1000);
	put_file(f, "aa.unwind.tmp", LIMIT, 100000);
	table_cache_close(&f->cache);
	assert_int_equal(table_cache_open(f->dir, LIMIT, &f->cache, NULL), 0);
	assert_false(exists(f, "bb.unwind"));
	assert_true(exists(f, "aa.unwind"));
	assert_true(exists(f, "dd.77.tmp"));
	assert_false(exists(f, "ee.77.tmp"));
	assert_int_equal(f->cache.size_bytes, LIMIT / 4 * 3 + 10);
	put_file(f, "0123ab.unwind", 1, 1000);
	store(f);
	f->cache.size_bytes = LIMIT;
	put_file(f, "ff.unwind", LIMIT / 2, 0);	/* written by another process */
	store(f);
	assert_false(exists(f, "aa.unwind"));
	assert_true(exists(f, "cc.unwind"));
	assert_true(exists(f, "0123ab.unwind"));
	assert_true(exists(f, "other.unwind") && exists(f, ".unwind"));
	assert_true(exists(f, "aa.unwind.tmp"));
}

static void what_is_used_is_young(void **state)
{
	struct fixture *f = *state;
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat st;

	store(f);
	assert_int_equal(utimensat(AT_FDCWD, path_of(f, "0123ab.unwind"), old, 0), 0);
	assert_int_equal(load(f), 1);
	assert_int_equal(stat(path_of(f, "0123ab.unwind"), &st), 0);
	assert_true(st.st_mtim.tv_sec > 1000);
}

static void what_is_too_large_is_not_kept(void **state)
{
	struct fixture *f = *state;

	f->cache.limit_bytes = table_file_size(&f->table);
	store(f);
	assert_int_equal(load(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_stored_comes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(empty_tables_are_tables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_damaged_byte_is_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(impossible_numbers_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_of_others_are_not_believed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(directories_of_others_are_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_oldest_go_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_used_is_young, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_too_large_is_not_kept, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
