/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes the sampler can walk, live: with real tables, and with too little room for them.
 */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recursing_child.h"
#include "sampler_fixture.h"
#include "process/proc_read.h"
#include "sampler/unwind_spaces.h"
#include "intake/wire_table.h"
#include "elf/image_file.h"
#include "elf/own_vdso.h"

#define RUN_MS 80
#define SOME 20
#define IMAGES_MAX 32

/* ---- tables of the children ---- */

struct mapped_image {
	char path[256];
	struct image_file file;
	struct unwind_table table;
};

struct images {
	struct mapped_image at[IMAGES_MAX];
	size_t count;
	struct unwind_mapping mappings[IMAGES_MAX];
	size_t mapping_count;
};

/* The vdso is not a file. On aarch64 it contains the code that returns from a signal. */
static int open_image(const char *path, struct mapped_image *image)
{
	size_t size_bytes = 0;
	const void *vdso = strcmp(path, "[vdso]") == 0 ? own_vdso(&size_bytes) : NULL;

	if (!vdso && image_file_open(AT_FDCWD, path, &image->file, NULL) == 0)
		return unwind_table_build(&image->file, &image->table, NULL);
	if (!vdso || image_file_from_bytes(vdso, size_bytes, path, &image->file, NULL) < 0)
		return -ENOENT;
	return unwind_table_build_bytes(vdso, size_bytes, path, &image->table, NULL);
}

static struct mapped_image *image_of(struct images *images, const char *path)
{
	struct mapped_image *image = &images->at[images->count];

	for (size_t i = 0; i < images->count; i++)
		if (strcmp(images->at[i].path, path) == 0)
			return &images->at[i];
	assert_true(images->count < IMAGES_MAX);
	if (open_image(path, image) < 0)
		return NULL;
	(void)snprintf(image->path, sizeof(image->path), "%s", path);
	images->count++;
	return image;
}

static int add_mapping(void *context, const struct record_mmap *mapping)
{
	struct images *images = context;
	struct mapped_image *image = image_of(images, mapping->path);
	uint64_t vaddr;

	if (!image || !image_file_vaddr(&image->file, mapping->offset, &vaddr))
		return 0;
	assert_true(images->mapping_count < IMAGES_MAX);
	images->mappings[images->mapping_count++] = (struct unwind_mapping){
		.start_addr = mapping->start_addr,
		.end_addr = mapping->start_addr + mapping->size_bytes,
		.bias = mapping->start_addr - vaddr,
		.table = &image->table,
	};
	return 0;
}

static void images_fini(struct images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		unwind_table_fini(&images->at[i].table);
		image_file_fini(&images->at[i].file);
	}
	free(images);
}

/* ---- sampling ---- */

static struct sampling *start(uint32_t mappings_max)
{
	return sampling_start(&(struct bpf_sampler_options){
		.ring_bytes = 32u << 20,
		.mappings_max = mappings_max,
		.only_targets = true,
		.cgroup_fd = -1,
	});
}

static struct unwind_spaces *spaces_of(struct sampling *sampling, size_t table_bytes)
{
	struct unwind_spaces *spaces;

	assert_int_equal(unwind_spaces_new(sampling->sampler, table_bytes, &spaces, NULL), 0);
	return spaces;
}

static void target(struct sampling *sampling, pid_t child)
{
	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)child), 0);
}

/*
 * The callers must be those that the C library's unwinder saw. Its innermost two frames are the
 * place at which it was called; a sanitizer's backtrace() adds one of them. For interrupted code it
 * reports the address itself.
 */
static void assert_as_backtrace(const struct seen_stack *seen, const struct backtrace_page *page)
{
	size_t count = (size_t)page->count, interrupted = 0;

	assert_int_equal(seen->stack.stop, UNWIND_STOP_END);
	assert_in_range(seen->stack.user_count, count - 1, count + 4);
	for (size_t i = 1; i <= count - 2; i++) {
		uint64_t addr = (uint64_t)page->addrs[count - i];

		assert_int_equal(seen->user[seen->stack.user_count - i],
				 addr + (addr == page->interrupted_addr));
		interrupted += addr == page->interrupted_addr;
	}
	assert_int_equal(interrupted, page->frames == WITH_SIGNAL);
}

static void check_real_code(enum frames frames)
{
	struct images *images = calloc(1, sizeof(*images));
	struct backtrace_page *page = page_make(frames);
	struct sampling *sampling = start(0);
	struct unwind_spaces *spaces = spaces_of(sampling, 0);
	pid_t child = recursing_child(page);

	assert_non_null(images);
	assert_int_equal(proc_read_maps((uint32_t)child, add_mapping, images), 0);
	assert_true(images->mapping_count >= 2);
	assert_int_equal(unwind_spaces_set(spaces, (uint32_t)child, process_life(child),
					   images->mappings, images->mapping_count, NULL),
			 0);
	target(sampling, child);
	sampling_run(sampling, RUN_MS);
	child_end(child);
	assert_true(sampling->samples.count >= SOME);
	assert_int_equal(sampling->raws.count, 0);
	assert_true(page->count > (frames == WITH_KEPT ? DEPTH / 2 : DEPTH));
	for (size_t i = 0; i < sampling->stacks.count; i++)
		assert_as_backtrace(&sampling->stacks.at[i], page);
	unwind_spaces_free(spaces);
	sampling_free(sampling);
	images_fini(images);
	(void)munmap(page, sizeof(*page));
}

static void test_real_code_as_the_c_library_unwinds_it(void **state)
{
	check_real_code(PLAIN);
}

static void test_frames_counted_from_the_kept_register(void **state)
{
	check_real_code(WITH_KEPT);
}

static void test_frames_behind_a_signal(void **state)
{
	check_real_code(WITH_SIGNAL);
}

/* ---- too little room: hand-written code, for which any number of tables can be made ---- */

/* Makes a separate copy of the table. */
static void known_table(struct unwind_table *ret_table)
{
	*ret_table = (struct unwind_table){ 0 };
	for (size_t i = 0; i < KNOWN_STACK_ROWS; i++)
		assert_non_null(vec_push(&ret_table->rows));
	for (size_t i = 0; i < KNOWN_STACK_RULES; i++)
		assert_non_null(vec_push(&ret_table->rules));
	known_stack_rows(ret_table->rows.at);
	memcpy(ret_table->rules.at, known_stack_rules, sizeof(known_stack_rules));
}

static size_t known_table_bytes(void)
{
	struct unwind_table table;
	size_t line_count;

	known_table(&table);
	line_count = wire_table_size(&table).line_count;
	unwind_table_fini(&table);
	return line_count * sizeof(struct wire_line);
}

static int set_life(struct unwind_spaces *spaces, pid_t child, uint64_t life,
		    const struct unwind_table *table)
{
	struct known_stack known = known_stack_plain();
	struct unwind_mapping mapping = {
		.start_addr = known.start_addr,
		.end_addr = known.end_addr,
		.bias = known.start_addr,
		.table = table,
	};

	assert_int_equal(unwind_spaces_load(spaces, &mapping, 1, NULL), 0);
	return unwind_spaces_set(spaces, (uint32_t)child, life, &mapping, 1, NULL);
}

static int set_known(struct unwind_spaces *spaces, pid_t child, const struct unwind_table *table)
{
	return set_life(spaces, child, process_life(child), table);
}

static void assert_walked(const struct sampling *sampling, pid_t child)
{
	size_t count = 0;

	for (size_t i = 0; i < sampling->stacks.count; i++) {
		if (sampling->stacks.at[i].stack.tgid != (uint32_t)child)
			continue;
		assert_int_equal(sampling->stacks.at[i].stack.stop, UNWIND_STOP_END);
		assert_int_equal(sampling->stacks.at[i].stack.user_count, DEPTH + 1);
		count++;
	}
	assert_true(count > 0);
	for (size_t i = 0; i < sampling->raws.count; i++)
		assert_int_not_equal(sampling->raws.at[i].raw.sample.tgid, child);
}

static void assert_raw(const struct sampling *sampling, pid_t child)
{
	size_t count = 0;

	for (size_t i = 0; i < sampling->raws.count; i++)
		count += sampling->raws.at[i].raw.sample.tgid == (uint32_t)child;
	assert_true(count > 0);
	for (size_t i = 0; i < sampling->samples.count; i++)
		assert_int_not_equal(sampling->samples.at[i].tgid, child);
}

struct pair {
	struct sampling *sampling;
	struct unwind_spaces *spaces;
	struct unwind_table tables[2];
	pid_t children[2];
};

static struct pair pair_make(size_t table_bytes, uint32_t mappings_max)
{
	struct known_stack known = known_stack_plain();
	struct pair pair = { .sampling = start(mappings_max) };

	pair.spaces = spaces_of(pair.sampling, table_bytes);
	for (int i = 0; i < 2; i++) {
		known_table(&pair.tables[i]);
		pair.children[i] = child_start(&known, DEPTH);
		target(pair.sampling, pair.children[i]);
	}
	return pair;
}

static void pair_fini(struct pair *pair)
{
	unwind_spaces_free(pair->spaces);
	sampling_free(pair->sampling);
	for (int i = 0; i < 2; i++) {
		child_end(pair->children[i]);
		unwind_table_fini(&pair->tables[i]);
	}
}

/* Samples both children at once, and has all stacks sent again. */
static void pair_run(struct pair *pair)
{
	(void)bpf_sampler_forget_stacks(pair->sampling->sampler);
	sampling_clear(pair->sampling);
	sampling_run(pair->sampling, 2 * RUN_MS);
}

/*
 * The parent is this test. The child that it forks is a target and is walked, although nothing
 * announced the child.
 */
static void test_a_fork_is_walked_like_its_parent(void **state)
{
	struct known_stack known = known_stack_plain();
	struct sampling *sampling = start(0);
	struct unwind_spaces *spaces = spaces_of(sampling, 0);
	struct unwind_table table;
	pid_t child;

	known_table(&table);
	assert_int_equal(set_known(spaces, getpid(), &table), 0);
	target(sampling, getpid());
	child = child_start(&known, DEPTH);
	sampling_run(sampling, 2 * RUN_MS);
	assert_walked(sampling, child);
	unwind_spaces_remove(spaces, (uint32_t)getpid());
	(void)bpf_sampler_forget_stacks(sampling->sampler);
	sampling_clear(sampling);
	sampling_run(sampling, 2 * RUN_MS);
	assert_raw(sampling, child);
	child_end(child);
	unwind_spaces_free(spaces);
	sampling_free(sampling);
	unwind_table_fini(&table);
}

/* A process with the same tgid but another life is not walked with the entered tables. */
static void test_another_life_is_not_walked(void **state)
{
	struct pair pair = pair_make(0, 0);
	uint64_t life = process_life(pair.children[0]);

	assert_int_equal(set_life(pair.spaces, pair.children[0], life, &pair.tables[0]), 0);
	assert_int_equal(set_life(pair.spaces, pair.children[1], life, &pair.tables[1]), 0);
	pair_run(&pair);
	assert_walked(pair.sampling, pair.children[0]);
	assert_raw(pair.sampling, pair.children[1]);
	pair_fini(&pair);
}

/* There is room for one table only. The process that was inactive for longer is removed. */
static void test_the_longest_idle_leaves(void **state)
{
	size_t most_bytes = known_table_bytes() * 3 / 2;
	struct pair pair = pair_make(most_bytes, 0);
	struct unwind_spaces_stats stats;

	assert_int_equal(set_known(pair.spaces, pair.children[0], &pair.tables[0]), 0);
	assert_int_equal(set_known(pair.spaces, pair.children[1], &pair.tables[1]), 0);
	pair_run(&pair);
	assert_raw(pair.sampling, pair.children[0]);
	assert_walked(pair.sampling, pair.children[1]);
	unwind_spaces_get_stats(pair.spaces, &stats);
	assert_int_equal(stats.processes_evicted, 1);
	assert_int_equal(stats.tables_evicted, 1);
	assert_int_equal(stats.process_count, 1);
	assert_in_range(stats.table_bytes, 1, most_bytes);
	pair_fini(&pair);
}

/* Changes the table so that none of its code can be walked. */
static void forbid(struct unwind_table *table)
{
	struct unwind_rule *rule = vec_push(&table->rules);

	assert_non_null(rule);
	*rule = (struct unwind_rule){ .kind = UNWIND_UNSUPPORTED };
	for (size_t i = 0; i < table->rows.count; i++)
		table->rows.at[i].rule = (uint16_t)(table->rules.count - 1);
}

/*
 * Rules that the sampler remembers from one table must not be used for the next table in its place.
 */
static void test_a_table_in_the_place_of_another(void **state)
{
	struct pair pair = pair_make(known_table_bytes() * 3 / 2, 0);

	forbid(&pair.tables[1]);
	assert_int_equal(set_known(pair.spaces, pair.children[0], &pair.tables[0]), 0);
	pair_run(&pair);
	assert_walked(pair.sampling, pair.children[0]);
	assert_int_equal(set_known(pair.spaces, pair.children[0], &pair.tables[1]), 0);
	pair_run(&pair);
	assert_true(pair.sampling->stacks.count > 0);
	for (size_t i = 0; i < pair.sampling->stacks.count; i++)
		if (pair.sampling->stacks.at[i].stack.tgid == (uint32_t)pair.children[0])
			assert_int_equal(pair.sampling->stacks.at[i].stack.user_count, 1);
	pair_fini(&pair);
}

static void test_touched_processes_stay(void **state)
{
	struct pair pair = pair_make(0, 2);

	assert_int_equal(set_known(pair.spaces, pair.children[0], &pair.tables[0]), 0);
	assert_int_equal(set_life(pair.spaces, 1, 1, &pair.tables[0]), 0);
	unwind_spaces_touch(pair.spaces, (uint32_t)pair.children[0]);
	assert_int_equal(set_known(pair.spaces, pair.children[1], &pair.tables[0]), 0);
	pair_run(&pair);
	assert_walked(pair.sampling, pair.children[0]);
	assert_walked(pair.sampling, pair.children[1]);
	pair_fini(&pair);
}

static void test_what_cannot_fit_is_refused(void **state)
{
	struct pair pair = pair_make(8, 0);
	struct unwind_spaces_stats stats;

	assert_int_equal(set_known(pair.spaces, pair.children[0], &pair.tables[0]), -E2BIG);
	pair_run(&pair);
	assert_raw(pair.sampling, pair.children[0]);
	unwind_spaces_get_stats(pair.spaces, &stats);
	assert_int_equal(stats.processes_refused, 1);
	assert_int_equal(stats.table_bytes, 0);
	pair_fini(&pair);
}

static void test_a_dropped_table_takes_its_processes_along(void **state)
{
	struct pair pair = pair_make(0, 0);

	assert_int_equal(set_known(pair.spaces, pair.children[0], &pair.tables[0]), 0);
	assert_int_equal(set_known(pair.spaces, pair.children[1], &pair.tables[1]), 0);
	unwind_spaces_drop_table(pair.spaces, &pair.tables[0]);
	pair_run(&pair);
	assert_raw(pair.sampling, pair.children[0]);
	assert_walked(pair.sampling, pair.children[1]);
	pair_fini(&pair);
}

/* A slice is reused only after a wait. No slice is lost however often this happens. */
static void test_slices_are_used_again(void **state)
{
	struct pair pair = pair_make(0, 4);
	uint64_t life = process_life(pair.children[0]);
	struct unwind_spaces_stats stats;

	for (int i = 0; i < 40; i++)
		assert_int_equal(set_life(pair.spaces, pair.children[0], life, &pair.tables[i % 2]),
				 0);
	pair_run(&pair);
	assert_walked(pair.sampling, pair.children[0]);
	unwind_spaces_get_stats(pair.spaces, &stats);
	assert_in_range(stats.waits, 10, 20);
	assert_int_equal(stats.process_count, 1);
	assert_int_equal(stats.processes_evicted, 0);
	pair_fini(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_code_as_the_c_library_unwinds_it),
		cmocka_unit_test(test_frames_counted_from_the_kept_register),
		cmocka_unit_test(test_frames_behind_a_signal),
		cmocka_unit_test(test_a_fork_is_walked_like_its_parent),
		cmocka_unit_test(test_another_life_is_not_walked),
		cmocka_unit_test(test_the_longest_idle_leaves),
		cmocka_unit_test(test_a_table_in_the_place_of_another),
		cmocka_unit_test(test_touched_processes_stay),
		cmocka_unit_test(test_what_cannot_fit_is_refused),
		cmocka_unit_test(test_a_dropped_table_takes_its_processes_along),
		cmocka_unit_test(test_slices_are_used_again),
	};

	if (!sampling_is_possible(&(struct bpf_sampler_options){ .cgroup_fd = -1 }))
		return SAMPLING_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
