/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names for ends of walks, and their effect on the model. The walks themselves are tested in
 * unwind/test_walk.c.
 */
#include "support/tracker_fixture.h"

#include "intake/chain.h"
#include "process/kernel_images.h"
#include "intake/stack_walk.h"

#define TGID 100u
#define TEXT UINT64_C(0x400000)	/* text of a program without unwind tables */
#define STACK UINT64_C(0x7ffff0000000)
#define WORDS 16
#define COPY_END (STACK + 8 * WORDS)

static void test_ends_by_tables(void **state)
{
	assert_int_equal(stack_walk_stop(UNWIND_STOP_END, false, true), WALK_STOP_END);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_END, true, false), WALK_STOP_END);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_NO_IMAGE, false, false), WALK_STOP_NO_IMAGE);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_STUCK, false, false), WALK_STOP_STUCK);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_DEEP, true, true), WALK_STOP_DEEP);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_PAST, false, true), WALK_STOP_PAST);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_UNSUPPORTED, false, false),
			 WALK_STOP_UNSUPPORTED);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_NO_EXTRA, false, false),
			 WALK_STOP_NO_REGISTER);
}

/*
 * A frame pointer with a garbage value leads anywhere. So the reason to report is that the table is
 * missing.
 */
static void test_ends_by_frame_pointers(void **state)
{
	assert_int_equal(stack_walk_stop(UNWIND_STOP_NO_IMAGE, true, false), WALK_STOP_NO_TABLE);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_STUCK, true, false), WALK_STOP_NO_TABLE);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_UNREADABLE, true, false), WALK_STOP_NO_TABLE);
}

static void test_ends_of_copies(void **state)
{
	assert_int_equal(stack_walk_stop(UNWIND_STOP_UNREADABLE, false, false),
			 WALK_STOP_UNREADABLE);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_UNREADABLE, false, true),
			 WALK_STOP_COPY_USED_UP);
	assert_int_equal(stack_walk_stop(UNWIND_STOP_UNREADABLE, true, true),
			 WALK_STOP_COPY_USED_UP);
}

/* The number comes from a record, so it may be invalid. */
static void test_ends_that_do_not_exist(void **state)
{
	assert_int_equal(stack_walk_stop((enum unwind_stop)200, false, false),
			 WALK_STOP_NO_REGISTERS);
}

/* Walks two frames on a copied stack. @fp is the frame pointer of the second one. */
static struct image_health walk(uint64_t fp, bool is_cut)
{
	struct fixture f;
	struct kernel_images *kernel_images = NULL;
	struct chains *chains = NULL;
	struct stack_walker walker = { 0 };
	struct live_thread *thread;
	struct image_health health;
	const uint64_t *kernel_addrs;
	size_t kernel_count;
	uint64_t words[WORDS] = { [2] = fp, [3] = TEXT + 0x200 };
#if defined(__x86_64__)
	const uint64_t regs[] = { 0, 0, STACK + 16, STACK, TEXT + 0x100, 0 };
#else
	const uint64_t regs[] = { 0, STACK + 16, 0, STACK, TEXT + 0x100 };
#endif
	struct perf_record record = {
		.kind = RECORD_SAMPLE,
		.tgid = TGID,
		.tid = TGID,
		.sample = {
			.addr = TEXT + 0x100,
			.regs = regs,
			.reg_count = sizeof(regs) / sizeof(regs[0]),
			.regs_bits = 64,
			.stack = (const uint8_t *)words,
			.stack_bytes = sizeof(words),
			.stack_is_cut = is_cut,
		},
	};

	fixture_init(&f, false);
	apply_exec(&f, TGID, "/nowhere/bin/prog");
	assert_int_equal(kernel_images_new(&f.model, &kernel_images), 0);
	assert_int_equal(chains_new(&f.model, f.tracker, kernel_images, &chains), 0);
	walker.tracker = f.tracker;
	assert_int_equal(image_tables_new(f.pins, NULL, NULL, 0, &walker.tables), 0);
	chains_walk_stacks(chains, &walker);
	record.time_ns = f.now_ns;
	thread = thread_at(&f, TGID, TGID);
	(void)chain_stack(chains, thread, &record, true, &kernel_addrs, &kernel_count);
	assert_int_equal(stack_walk_outcome(&walker)->frame_count, 2);
	health = model_health_of(&f.model, mapping_at(&f, TGID, TEXT)->image);
	chains_free(chains);
	image_tables_free(walker.tables);
	kernel_images_free(kernel_images);
	fixture_fini(&f);
	assert_int_equal(health.samples, 1);
	assert_int_equal(health.from_bytes, 1);
	assert_int_equal(health.frame_pointer_frames, 2);
	return health;
}

static void test_a_chain_to_its_end(void **state)
{
	assert_int_equal(walk(0, true).stopped[WALK_STOP_END], 1);
	assert_int_equal(walk(0, true).whole, 1);
}

/*
 * If the copy is full, a frame slightly above it was just not copied. A frame far away, or above a
 * complete copy, is not a frame.
 */
static void test_a_chain_out_of_the_copy(void **state)
{
	assert_int_equal(walk(COPY_END + 4096, true).stopped[WALK_STOP_COPY_USED_UP], 1);
	assert_int_equal(walk(COPY_END - 8, true).stopped[WALK_STOP_COPY_USED_UP], 1);
	assert_int_equal(walk(COPY_END + 4096, false).stopped[WALK_STOP_NO_TABLE], 1);
	assert_int_equal(walk(COPY_END + (64 << 20), true).stopped[WALK_STOP_NO_TABLE], 1);
	assert_int_equal(walk(0x1234, true).stopped[WALK_STOP_NO_TABLE], 1);
	assert_int_equal(walk(0x1234, true).whole, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_by_tables),
		cmocka_unit_test(test_ends_by_frame_pointers),
		cmocka_unit_test(test_ends_of_copies),
		cmocka_unit_test(test_ends_that_do_not_exist),
		cmocka_unit_test(test_a_chain_to_its_end),
		cmocka_unit_test(test_a_chain_out_of_the_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
