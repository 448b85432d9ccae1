/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables of pinned files: made once, reported when they are removed, and kept on disk only
 * where that is safe.
 */
#include "support/tracker_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intake/image_tables.h"
#include "support/temp.h"
#include "unwind/table_cache.h"

#define SOMEBODY 54321	/* a user that is neither root nor this one */
#define FORGED_ROWS 3

struct fixture_of_tables {
	struct fixture f;
	struct temp_dir dir;
	struct image_tables *tables;
	char cache[128];
	void *program;		/* content of /bin/true, from which files are made */
	size_t program_bytes;
};

static int set_up(void **state)
{
	static struct fixture_of_tables t;
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	t.program_bytes = (size_t)st.st_size;
	t.program = malloc(t.program_bytes);
	assert_int_equal(read(fd, t.program, t.program_bytes), st.st_size);
	(void)close(fd);
	fixture_init(&t.f, false);
	t.dir = temp_dir_make();
	(void)snprintf(t.cache, sizeof(t.cache), "%s/cache", t.dir.path);
	assert_int_equal(image_tables_new(t.f.pins, NULL, t.cache, 0, &t.tables), 0);
	*state = &t;
	return 0;
}

/* Removes all files. The test does not know which names the cache gives its files. */
static void empty_directory(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL)
		(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		(void)closedir(dir);
	(void)rmdir(path);
}

static int tear_down(void **state)
{
	struct fixture_of_tables *t = *state;

	image_tables_free(t->tables);
	fixture_fini(&t->f);
	empty_directory(t->cache);
	temp_dir_remove(&t->dir);
	free(t->program);
	return 0;
}

static uint32_t see_file(struct fixture_of_tables *t, const char *path)
{
	struct record_mmap mmap = { .start_addr = 0x1000, .size_bytes = 0x1000, .path = path };
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	mmap.dev = st.st_dev;
	mmap.inode = st.st_ino;
	return pins_see(t->f.pins, (struct pin_user){ .tgid = (uint32_t)getpid() }, &mmap);
}

static uint32_t see_program(struct fixture_of_tables *t, const char *name, mode_t mode)
{
	const char *path = temp_file(&t->dir, name, t->program, t->program_bytes);

	assert_int_equal(chmod(path, mode), 0);
	return see_file(t, path);
}

static size_t cached_count(const struct fixture_of_tables *t)
{
	DIR *dir = opendir(t->cache);
	struct dirent *entry;
	size_t count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		count += entry->d_name[0] != '.';
	(void)closedir(dir);
	return count;
}

static void test_made_once_when_asked_for(void **state)
{
	struct fixture_of_tables *t = *state;
	uint32_t pin = see_program(t, "prog", 0755);
	const struct unwind_table *table, *found = (const void *)t;

	assert_false(image_tables_find(t->tables, pin, &found));
	assert_null(found);
	table = image_tables_get(t->tables, pin);
	assert_non_null(table);
	assert_true(table->rows.count > 100);
	assert_ptr_equal(image_tables_get(t->tables, pin), table);
	assert_true(image_tables_find(t->tables, pin, &found));
	assert_ptr_equal(found, table);
}

/* Beyond the limit, the table that was not asked for the longest time goes. */
static void test_the_least_recent_table_goes(void **state)
{
	struct fixture_of_tables *t = *state;
	uint32_t old = see_program(t, "old", 0755), used = see_program(t, "used", 0755);
	uint32_t newest = see_program(t, "newest", 0755);
	const struct unwind_table *table;
	uint64_t two_bytes;

	table = image_tables_get(t->tables, old);
	two_bytes = 2 * (table->rows.capacity * sizeof(*table->rows.at) +
			 table->rules.capacity * sizeof(*table->rules.at) + sizeof(*table));
	image_tables_free(t->tables);
	assert_int_equal(image_tables_new(t->f.pins, NULL, NULL, two_bytes, &t->tables), 0);
	for (int round = 0; round < 2; round++) {
		assert_non_null(image_tables_get(t->tables, old));
		assert_non_null(image_tables_get(t->tables, used));
		assert_non_null(image_tables_get(t->tables, newest));
		assert_false(image_tables_find(t->tables, old, &table));
		assert_true(image_tables_find(t->tables, used, &table));
	}
}

/*
 * The question is about a process's own mappings. Tables that were made for other mappings do not
 * count.
 */
static void test_made_since(void **state)
{
	struct fixture_of_tables *t = *state;
	struct live_mapping mappings[] = { { .pin = PIN_GENERATED },
					   { .pin = see_program(t, "own", 0755) },
					   { .pin = see_program(t, "not made", 0755) } };
	uint32_t other = see_program(t, "other", 0755);
	uint64_t before = image_tables_made(t->tables), after;

	assert_false(image_tables_made_since(t->tables, before, mappings, 3));
	assert_non_null(image_tables_get(t->tables, other));
	assert_true(image_tables_made(t->tables) > before);
	assert_false(image_tables_made_since(t->tables, before, mappings, 3));
	assert_non_null(image_tables_get(t->tables, mappings[1].pin));
	assert_true(image_tables_made_since(t->tables, before, mappings, 3));
	after = image_tables_made(t->tables);
	assert_non_null(image_tables_get(t->tables, mappings[1].pin));
	assert_false(image_tables_made_since(t->tables, after, mappings, 3));
}

/* The lookup succeeds and says that these images have no table. */
static void test_images_without_a_table(void **state)
{
	struct fixture_of_tables *t = *state;
	uint32_t text = see_file(t, temp_file(&t->dir, "text", "no program", 10));
	const struct unwind_table *found = (const void *)t;

	assert_true(image_tables_find(t->tables, PIN_GENERATED, &found));
	assert_null(found);
	assert_null(image_tables_get(t->tables, PIN_GENERATED));
	assert_false(image_tables_find(t->tables, text, &found));
	assert_null(image_tables_get(t->tables, text));
	assert_true(image_tables_find(t->tables, text, &found));
	assert_null(found);
}

struct told {
	int count;
	const struct unwind_table *last;
	size_t rows;	/* shows that the table can still be read */
};

static void tell(void *context, const struct unwind_table *table)
{
	struct told *told = context;

	told->count++;
	told->last = table;
	told->rows = table->rows.count;
}

/* Gives the number of @pin to another file. */
static uint32_t reuse_pin(struct fixture_of_tables *t, uint32_t pin, const char *path)
{
	for (int i = 0; i < 4; i++)
		pins_sweep(t->f.pins);
	assert_int_equal(see_file(t, path), pin);
	return pin;
}

static void test_a_pin_that_became_another_file(void **state)
{
	struct fixture_of_tables *t = *state;
	uint32_t pin = see_program(t, "prog", 0755);
	const struct unwind_table *table = image_tables_get(t->tables, pin), *found;
	struct told told = { 0 };
	size_t rows = table->rows.count;

	image_tables_tell(t->tables, tell, &told);
	reuse_pin(t, pin, temp_file(&t->dir, "text", "no program", 10));
	assert_false(image_tables_find(t->tables, pin, &found));
	assert_null(found);
	assert_int_equal(told.count, 0);
	assert_null(image_tables_get(t->tables, pin));
	assert_int_equal(told.count, 1);
	assert_ptr_equal(told.last, table);
	assert_int_equal(told.rows, rows);
	assert_true(image_tables_find(t->tables, pin, &found));
}

static void test_nobody_is_told_of_the_end(void **state)
{
	struct fixture_of_tables *t = *state;
	struct told told = { 0 };

	assert_non_null(image_tables_get(t->tables, see_program(t, "prog", 0755)));
	image_tables_tell(t->tables, tell, &told);
	image_tables_free(t->tables);
	t->tables = NULL;
	assert_int_equal(told.count, 0);
}

/* Stores rows that no compiler made under the build-id of the program. */
static void forge_cache(struct fixture_of_tables *t, uint32_t pin)
{
	const struct image_file *file = pins_pin_file(t->f.pins, pin);
	const struct table_id id = { file->build_id, file->build_id_size };
	struct table_cache cache;
	struct unwind_table table = { .base_vaddr = 0x1000 };

	for (uint32_t i = 0; i < FORGED_ROWS; i++)
		*vec_push(&table.rows) = (struct unwind_row){ .offset = i, .rule = i % 2 };
	*vec_push(&table.rules) = (struct unwind_rule){ .kind = UNWIND_GAP };
	*vec_push(&table.rules) = (struct unwind_rule){ .kind = UNWIND_UNSUPPORTED };
	assert_int_equal(table_cache_open(t->cache, 1 << 20, &cache, NULL), 0);
	assert_int_equal(table_cache_store(&cache, &id, &table, NULL), 0);
	table_cache_close(&cache);
	unwind_table_fini(&table);
}

static void test_files_of_root_and_ours_are_kept(void **state)
{
	struct fixture_of_tables *t = *state;
	uint32_t pin = see_program(t, "prog", 0755);

	assert_non_null(image_tables_get(t->tables, pin));
	assert_int_equal(cached_count(t), 1);
	forge_cache(t, pin);
	assert_int_equal(image_tables_get(t->tables, see_program(t, "same", 0755))->rows.count,
			 FORGED_ROWS);
}

/*
 * The build-id of a file that the target can write to proves nothing. Its table is neither stored
 * in the cache nor taken from it.
 */
static void test_files_that_others_write_are_not_kept(void **state)
{
	static const mode_t modes[] = { 0775, 0757, 0777 };
	struct fixture_of_tables *t = *state;
	char name[] = "prog0";

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		uint32_t pin;

		name[4] = (char)('0' + i);
		pin = see_program(t, name, modes[i]);
		assert_true(image_tables_get(t->tables, pin)->rows.count > FORGED_ROWS);
		assert_int_equal(cached_count(t), 0);
	}
	forge_cache(t, see_program(t, "ours", 0755));
	assert_true(image_tables_get(t->tables, see_program(t, "theirs", 0777))->rows.count >
		    FORGED_ROWS);
}

static void test_files_of_others_are_not_kept(void **state)
{
	struct fixture_of_tables *t = *state;
	const char *path = temp_file(&t->dir, "theirs", t->program, t->program_bytes);

	if (chown(path, SOMEBODY, SOMEBODY) != 0)
		skip();
	assert_int_equal(chmod(path, 0755), 0);
	forge_cache(t, see_program(t, "ours", 0755));
	assert_true(image_tables_get(t->tables, see_file(t, path))->rows.count > FORGED_ROWS);
	assert_int_equal(cached_count(t), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_made_once_when_asked_for),
		TEST(test_made_since),
		TEST(test_the_least_recent_table_goes),
		TEST(test_images_without_a_table),
		TEST(test_a_pin_that_became_another_file),
		TEST(test_nobody_is_told_of_the_end),
		TEST(test_files_of_root_and_ours_are_kept),
		TEST(test_files_that_others_write_are_not_kept),
		TEST(test_files_of_others_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
