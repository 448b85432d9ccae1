/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converting samples of the in-kernel sampler to stacks: named, missing, not walked, with copied
 * memory.
 */
#include "chain_fixture.h"

#include "intake/image_tables.h"

#define HASH 77u
#define STACK_ADDR UINT64_C(0x7ffc00001000)

struct sampler_fixture {
	struct chain_fixture *c;
	struct image_tables *tables;
	struct stack_walker walker;
};

static int set_up(void **state)
{
	static struct sampler_fixture s;
	void *c;

	assert_int_equal(chain_set_up(&c), 0);
	s.c = c;
	assert_int_equal(image_tables_new(s.c->f.pins, NULL, NULL, 0, &s.tables), 0);
	s.walker = (struct stack_walker){
		.tracker = s.c->f.tracker,
		.tables = s.tables,
	};
	chains_walk_stacks(s.c->chains, &s.walker);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct sampler_fixture *s = *state;
	void *c = s->c;

	(void)chain_tear_down(&c);
	image_tables_free(s->tables);
	return 0;
}

static uint32_t stack_of(struct sampler_fixture *s, const struct perf_record *record,
			 bool want_user)
{
	struct chain_fixture *c = s->c;

	return chain_stack(c->chains, thread_at(&c->f, TGID, TGID), record, want_user,
			   &c->kernel_addrs, &c->kernel_count);
}

static struct perf_record sample_at(const struct sampler_fixture *s, uint64_t addr)
{
	return (struct perf_record){
		.kind = RECORD_SAMPLE,
		.tgid = TGID,
		.tid = TGID,
		.time_ns = s->c->f.now_ns,
		.kernel_mode = addr >= KERNEL,
		.sample = {
			.addr = addr,
			.by_sampler = true,
			.has_user = true,
			.walk_hash = HASH,
		},
	};
}

static const uint64_t kernel[] = { KERNEL + 0x10, KERNEL + 0x20 };
static const uint64_t user[] = { TEXT + 0x10, TEXT + 0x20, TEXT + 0x30 };

static void send(struct sampler_fixture *s, uint64_t hash, enum unwind_stop stop,
		 size_t kernel_count, size_t user_count)
{
	const struct record_stack stack = {
		.hash = hash,
		.stop = stop,
		.kernel = kernel,
		.user = user,
		.kernel_count = kernel_count,
		.user_count = user_count,
	};

	assert_int_equal(sent_stacks_keep(chains_sent_stacks(s->c->chains), &stack), 0);
}

static void test_named_stack(void **state)
{
	struct sampler_fixture *s = *state;
	struct perf_record record = sample_at(s, KERNEL + 0x10);
	uint32_t stack;

	send(s, HASH, UNWIND_STOP_END, 2, 3);
	stack = stack_of(s, &record, true);
	ASSERT_STACK(s->c, stack, STACK_ROOT_END, KERNEL + 0x10, KERNEL + 0x1f, 0x10, 0x1f, 0x2f);
	assert_int_equal(s->c->kernel_count, 2);
	assert_int_equal(s->c->kernel_addrs[1], KERNEL + 0x20);
	assert_int_equal(stack_of(s, &record, true), stack);
	stack = stack_of(s, &record, false);
	ASSERT_STACK(s->c, stack, STACK_ROOT_NONE, KERNEL + 0x10, KERNEL + 0x1f);
	assert_int_equal(lost(s->c, LOSS_STACK_MISSING), 0);
}

/*
 * The end of a walk determines the root of its stack. A broken stack counts once for each sample
 * that names it.
 */
static void test_ends_of_walks(void **state)
{
	static const enum stack_root roots[UNWIND_STOP_COUNT] = {
		[UNWIND_STOP_NOT] = STACK_ROOT_TRUNCATED,
		[UNWIND_STOP_END] = STACK_ROOT_END,
		[UNWIND_STOP_NO_IMAGE] = STACK_ROOT_BROKEN,
		[UNWIND_STOP_NO_ROW] = STACK_ROOT_BROKEN,
		[UNWIND_STOP_UNSUPPORTED] = STACK_ROOT_BROKEN,
		[UNWIND_STOP_UNREADABLE] = STACK_ROOT_BROKEN,
		[UNWIND_STOP_NO_EXTRA] = STACK_ROOT_BROKEN,
		[UNWIND_STOP_STUCK] = STACK_ROOT_BROKEN,
		[UNWIND_STOP_DEEP] = STACK_ROOT_TRUNCATED,
		[UNWIND_STOP_PAST] = STACK_ROOT_BROKEN,
	};
	struct sampler_fixture *s = *state;

	for (uint32_t stop = 0; stop < UNWIND_STOP_COUNT; stop++) {
		struct perf_record record = sample_at(s, TEXT + 0x10);

		record.sample.walk_hash = HASH + stop;
		send(s, HASH + stop, stop, 0, 2);
		for (int i = 0; i < 2; i++)
			ASSERT_STACK(s->c, stack_of(s, &record, true), roots[stop], 0x10, 0x1f);
		assert_int_equal(chains_led_nowhere(s->c->chains),
				 stop == UNWIND_STOP_NO_IMAGE || stop == UNWIND_STOP_NO_ROW);
	}
	assert_int_equal(lost(s->c, LOSS_STACK_BROKEN), 2 * 7);
	/* the sampler counts the other kind itself */
	assert_int_equal(lost(s->c, LOSS_STACK_TRUNCATED), 2);
}

/* With precise events, the sampled address differs from the one at which the walk began. */
static void test_leaf_is_the_sampled_address(void **state)
{
	struct sampler_fixture *s = *state;
	struct perf_record record = sample_at(s, TEXT + 0x14);

	send(s, HASH, UNWIND_STOP_END, 0, 2);
	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_END, 0x14, 0x1f);
}

static void test_stack_that_never_came(void **state)
{
	struct sampler_fixture *s = *state;
	struct perf_record in_user = sample_at(s, TEXT + 0x10);
	struct perf_record in_kernel = sample_at(s, KERNEL + 0x10);

	ASSERT_STACK(s->c, stack_of(s, &in_user, true), STACK_ROOT_TRUNCATED, 0x10);
	assert_int_equal(lost(s->c, LOSS_STACK_MISSING), 1);
	ASSERT_STACK(s->c, stack_of(s, &in_kernel, true), STACK_ROOT_TRUNCATED, KERNEL + 0x10);
	assert_int_equal(s->c->kernel_count, 1);
	assert_int_equal(lost(s->c, LOSS_STACK_MISSING), 2);
	assert_int_equal(lost(s->c, LOSS_STACK_TRUNCATED), 0);
}

static void test_kernel_only(void **state)
{
	struct sampler_fixture *s = *state;
	struct perf_record record = sample_at(s, KERNEL + 0x10);

	record.sample.has_user = false;
	send(s, HASH, UNWIND_STOP_NOT, 2, 0);
	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_END, KERNEL + 0x10,
		     KERNEL + 0x1f);
	assert_int_equal(lost(s->c, LOSS_STACK_TRUNCATED), 0);
}

/*
 * There was no room for the memory of the stack. The outer frames are missing, and the stack says
 * so.
 */
static void test_user_part_not_walked(void **state)
{
	struct sampler_fixture *s = *state;
	struct perf_record in_user = sample_at(s, TEXT + 0x10);
	struct perf_record in_kernel = sample_at(s, KERNEL + 0x10);

	in_user.sample.walk_hash = HASH + 1;
	send(s, HASH, UNWIND_STOP_NOT, 2, 0);
	send(s, HASH + 1, UNWIND_STOP_NOT, 0, 0);
	ASSERT_STACK(s->c, stack_of(s, &in_kernel, true), STACK_ROOT_TRUNCATED, KERNEL + 0x10,
		     KERNEL + 0x1f);
	ASSERT_STACK(s->c, stack_of(s, &in_user, true), STACK_ROOT_TRUNCATED, 0x10);
	/* the sampler has already counted it */
	assert_int_equal(lost(s->c, LOSS_STACK_TRUNCATED), 0);
	assert_int_equal(lost(s->c, LOSS_STACK_MISSING), 0);
}

/*
 * The program has no unwind table, so frame pointers are followed: first to the word after the
 * copied pointer, then to 0.
 */
static struct perf_record copied_at(const struct sampler_fixture *s, uint64_t addr,
				    const uint64_t *words, size_t count)
{
	struct perf_record record = sample_at(s, addr);

	record.sample.walk_hash = 0;
	record.sample.user_regs = (struct unwind_regs){
		.ip = TEXT + 0x10,
		.sp = STACK_ADDR,
		.fp = STACK_ADDR + 8,
		.exact = 1,
	};
	record.sample.stack = (const void *)words;
	record.sample.stack_addr = STACK_ADDR;
	record.sample.stack_bytes = count * sizeof(*words);
	return record;
}

static const uint64_t words[] = { 99, STACK_ADDR + 24, TEXT + 0x20, 0, TEXT + 0x30 };

static void test_copied_stack(void **state)
{
	struct sampler_fixture *s = *state;
	struct perf_record in_user = copied_at(s, TEXT + 0x10, words, 5);
	struct perf_record in_kernel = copied_at(s, KERNEL + 0x10, words, 5);

	ASSERT_STACK(s->c, stack_of(s, &in_user, true), STACK_ROOT_END, 0x10, 0x1f, 0x2f);
	in_kernel.sample.kernel = kernel;
	in_kernel.sample.kernel_count = 2;
	ASSERT_STACK(s->c, stack_of(s, &in_kernel, true), STACK_ROOT_END, KERNEL + 0x10,
		     KERNEL + 0x1f, 0x10, 0x1f, 0x2f);
	assert_int_equal(s->c->kernel_count, 2);
	assert_int_equal(lost(s->c, LOSS_STACK_MISSING), 0);
}

/* The copied memory may be the whole stack or only the part that fitted. */
static void test_copied_stack_that_ends_early(void **state)
{
	struct sampler_fixture *s = *state;
	struct perf_record record = copied_at(s, TEXT + 0x10, words, 3);

	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_BROKEN, 0x10, 0x1f);
	record.sample.stack_is_cut = true;
	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_TRUNCATED, 0x10, 0x1f);
	assert_int_equal(lost(s->c, LOSS_STACK_BROKEN), 1);
	assert_int_equal(lost(s->c, LOSS_STACK_TRUNCATED), 1);
}

/* The page at the stack pointer was not in memory, so the copy begins above it. */
static void test_copy_that_begins_above_the_stack_pointer(void **state)
{
	struct sampler_fixture *s = *state;
	struct perf_record record = copied_at(s, TEXT + 0x10, words + 1, 4);

	record.sample.stack_addr = STACK_ADDR + 8;
	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_END, 0x10, 0x1f, 0x2f);
	record.sample.stack = NULL;
	record.sample.stack_bytes = 0;
	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_BROKEN, 0x10);
}

/* A 32-bit stack: one 64-bit word holds the two words of a frame. */
static void test_copied_stack_of_32_bits(void **state)
{
	const uint32_t narrow[] = { 99, 98, 0x1018, TEXT + 0x20, 97, 96, 0, TEXT + 0x30 };
	struct sampler_fixture *s = *state;
	struct perf_record record = copied_at(s, TEXT + 0x10, (const void *)narrow, 4);

	record.sample.user_regs.is_32bit = 1;
	record.sample.user_regs.sp = 0x1000;
	record.sample.user_regs.fp = 0x1008;
	record.sample.stack_addr = 0x1000;
	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_END, 0x10, 0x1f, 0x2f);
	record.sample.user_regs.sp = 0x1010;	/* the frame would lie below its callee */
	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_BROKEN, 0x10);
	record.sample.user_regs.fp = 0x2000;
	ASSERT_STACK(s->c, stack_of(s, &record, true), STACK_ROOT_BROKEN, 0x10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_named_stack),
		TEST(test_ends_of_walks),
		TEST(test_leaf_is_the_sampled_address),
		TEST(test_stack_that_never_came),
		TEST(test_kernel_only),
		TEST(test_user_part_not_walked),
		TEST(test_copied_stack),
		TEST(test_copied_stack_that_ends_early),
		TEST(test_copy_that_begins_above_the_stack_pointer),
		TEST(test_copied_stack_of_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
