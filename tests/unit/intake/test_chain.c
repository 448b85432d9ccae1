/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converting callchains to stacks. */
#include "chain_fixture.h"

#include <linux/perf_event.h>

static uint32_t stack_of(struct chain_fixture *c, const uint64_t *chain, size_t count,
			 bool kernel_mode)
{
	struct perf_record record = {
		.kind = RECORD_SAMPLE,
		.tgid = TGID,
		.tid = TGID,
		.time_ns = c->f.now_ns,
		.kernel_mode = kernel_mode,
		.sample = { .chain = chain, .chain_count = count },
	};

	for (size_t i = 0; i < count && !record.sample.addr; i++)
		if (chain[i] < PERF_CONTEXT_MAX)
			record.sample.addr = chain[i];
	return chain_stack(c->chains, thread_at(&c->f, TGID, TGID), &record, true, &c->kernel_addrs,
			   &c->kernel_count);
}

#define STACK(c, kernel_mode, ...)                                                               \
	stack_of(c, (const uint64_t[]){ __VA_ARGS__ },                                           \
		 sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), kernel_mode)

static void test_user_chain(void **state)
{
	struct chain_fixture *c = *state;
	uint32_t stack = STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20, TEXT + 0x30);

	ASSERT_STACK(c, stack, STACK_ROOT_END, 0x10, 0x1f, 0x2f);
	assert_int_equal(c->kernel_count, 0);
	assert_int_equal(STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20, TEXT + 0x30),
			 stack);
}

static void test_kernel_on_top_of_user(void **state)
{
	struct chain_fixture *c = *state;
	uint32_t stack = STACK(c, true, PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x20,
			       PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20);

	ASSERT_STACK(c, stack, STACK_ROOT_END, KERNEL + 0x10, KERNEL + 0x1f, 0x10, 0x1f);
	assert_int_equal(c->kernel_count, 2);
	assert_int_equal(c->kernel_addrs[0], KERNEL + 0x10);
	assert_int_equal(c->kernel_addrs[1], KERNEL + 0x20);
	stack = STACK(c, true, PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x20);
	ASSERT_STACK(c, stack, STACK_ROOT_END, KERNEL + 0x10, KERNEL + 0x1f);
}

static void test_terminators_are_clean_ends(void **state)
{
	struct chain_fixture *c = *state;

	ASSERT_STACK(c, STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, 0), STACK_ROOT_END, 0x10);
	ASSERT_STACK(c, STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, 1, TEXT), STACK_ROOT_END,
		     0x10);
	assert_int_equal(lost(c, LOSS_STACK_BROKEN), 0);
}

/* Broken stacks are counted once per sample, whether the chain was walked or found in the cache. */
static void test_garbage_breaks_the_walk(void **state)
{
	struct chain_fixture *c = *state;

	for (uint64_t i = 1; i <= 3; i++) {
		uint32_t stack = STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20,
				       0xdead0000, TEXT + 0x30);

		ASSERT_STACK(c, stack, STACK_ROOT_BROKEN, 0x10, 0x1f);
		assert_int_equal(lost(c, LOSS_STACK_BROKEN), i);
	}
}

static void test_leaf_without_mapping(void **state)
{
	struct chain_fixture *c = *state;

	for (uint64_t i = 1; i <= 2; i++) {
		uint32_t stack = STACK(c, false, PERF_CONTEXT_USER, 0xdead0000, TEXT + 0x20);

		ASSERT_STACK(c, stack, STACK_ROOT_END, 0xdead0000, 0x1f);
		assert_int_equal(lost(c, LOSS_MAPPING_UNKNOWN), i);
	}
	assert_int_equal(lost(c, LOSS_STACK_BROKEN), 0);
}

/* The first user frame below kernel frames is not the sampled address. */
static void test_leaf_below_the_kernel_is_another_matter(void **state)
{
	struct chain_fixture *c = *state;
	uint32_t stack = STACK(c, true, PERF_CONTEXT_KERNEL, KERNEL, PERF_CONTEXT_USER, 0xdead0000,
			       TEXT + 0x20);

	ASSERT_STACK(c, stack, STACK_ROOT_BROKEN, KERNEL);
	assert_int_equal(lost(c, LOSS_MAPPING_UNKNOWN), 0);
	stack = STACK(c, false, PERF_CONTEXT_USER, 0xdead0000, TEXT + 0x20);
	ASSERT_STACK(c, stack, STACK_ROOT_END, 0xdead0000, 0x1f);
	assert_int_equal(lost(c, LOSS_MAPPING_UNKNOWN), 1);
}

#define FORGED UINT64_C(0x10000000)

/* Makes a chain with 100 callers that were never seen before: forged frame pointers. */
static uint32_t forged_stack(struct chain_fixture *c, uint64_t i)
{
	uint64_t chain[102] = { PERF_CONTEXT_USER, FORGED + i };

	for (uint64_t frame = 2; frame < 102; frame++)
		chain[frame] = FORGED + 0x1000000 + 0x100 * i + frame;
	return stack_of(c, chain, 102, false);
}

static void test_new_callers_are_bounded(void **state)
{
	struct chain_fixture *c = *state;
	const struct model *model = &c->f.model;
	uint32_t known, stack = 0;

	apply_mmap(&c->f, TGID, FORGED, 0x40000000, "/nowhere/lib/big.so");
	known = forged_stack(c, 0);
	for (uint64_t i = 1; i <= 2000; i++)
		stack = forged_stack(c, i);
	assert_true(model->locations.count > 20000);
	assert_true(model->locations.count < 20000 + 3 * 2000);
	assert_true(lost(c, LOSS_LOCATION_BUDGET) > 1700);
	assert_int_equal(lost(c, LOSS_STACK_BROKEN), 0);
	ASSERT_STACK(c, stack, STACK_ROOT_BROKEN, 2000);	/* the sampled address is kept */
	/* stacks that are already known stay complete */
	assert_int_equal(forged_stack(c, 0), known);
	c->f.now_ns += NS_PER_SEC;
	stack = forged_stack(c, 2000);	/* not from the cache */
	assert_int_equal(model_stack_root(model, stack, NULL), STACK_ROOT_END);
}

#define SHUFFLED 120

/*
 * Makes a chain of the same callers, in another order each time. @kernel_mode adds two kernel
 * frames.
 */
static uint32_t shuffled_stack(struct chain_fixture *c, uint64_t *seed, bool kernel_mode)
{
	uint64_t chain[SHUFFLED + 5] = { PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x20,
					 PERF_CONTEXT_USER, TEXT + 0x10 };

	for (size_t frame = 5; frame < SHUFFLED + 5; frame++) {
		*seed = *seed * UINT64_C(6364136223846793005) + 1;
		chain[frame] = TEXT + 0x100 + (*seed >> 32) % 64;
	}
	return kernel_mode ? stack_of(c, chain, SHUFFLED + 5, true)
			   : stack_of(c, chain + 3, SHUFFLED + 2, false);
}

static void test_new_stacks_are_bounded(void **state)
{
	struct chain_fixture *c = *state;
	const struct model *model = &c->f.model;
	const size_t at_once = 2000000;
	uint64_t seed = 1, again, samples = 0;
	uint32_t stack;

	while (lost(c, LOSS_STACK_BUDGET) < 1000 && samples < 20000) {
		again = seed;
		stack = shuffled_stack(c, &seed, samples++ % 8 == 0);
	}
	assert_true(model->stacks.count > at_once);
	assert_true(model->stacks.count < at_once + 2 * SHUFFLED);
	assert_true(model->locations.count < 100);
	assert_int_equal(lost(c, LOSS_STACK_BROKEN), 0);
	stack = shuffled_stack(c, &seed, false);
	ASSERT_STACK(c, stack, STACK_ROOT_TRUNCATED, 0x10);
	stack = shuffled_stack(c, &seed, true);
	ASSERT_STACK(c, stack, STACK_ROOT_TRUNCATED, KERNEL + 0x10, KERNEL + 0x1f);
	c->f.now_ns += NS_PER_SEC;
	stack = shuffled_stack(c, &again, false);	/* not from the cache */
	assert_int_equal(model_stack_root(model, stack, NULL), STACK_ROOT_END);
}

/* The new part of a stack may be the kernel's alone, above user frames that are known. */
static void test_kernel_frames_on_known_stacks_are_bounded(void **state)
{
	struct chain_fixture *c = *state;
	const size_t before = 10;
	uint32_t known = STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20), stack;
	struct live_process *process = thread_at(&c->f, TGID, TGID)->process;

	budget_spend(&process->new_nodes, SIZE_MAX);
	assert_int_equal(STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20), known);
	stack = STACK(c, true, PERF_CONTEXT_KERNEL, KERNEL + 0x10, PERF_CONTEXT_USER, TEXT + 0x10,
		      TEXT + 0x20);
	ASSERT_STACK(c, stack, STACK_ROOT_TRUNCATED, KERNEL + 0x10);
	assert_int_equal(lost(c, LOSS_STACK_BUDGET), 1);
	assert_true(c->f.model.stacks.count < before);
}

/* Each caller is forged and lies in a new mapping. */
static void test_new_mappings_of_callers_are_bounded(void **state)
{
	struct chain_fixture *c = *state;
	const uint64_t at = UINT64_C(0x900000);
	uint32_t stack = 0;

	for (int i = 0; i < 5000; i++) {
		apply_mmap(&c->f, TGID, at, 0x1000, i % 2 ? "/nowhere/a.so" : "/nowhere/b.so");
		stack = STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20, at + 0x20);
	}
	assert_int_equal(c->f.model.mappings.count, 2 + 4096);	/* 2: the null row and the leaf's */
	assert_int_equal(lost(c, LOSS_MAPPING_BUDGET), 5000 - 4096);
	assert_int_equal(lost(c, LOSS_STACK_BROKEN), 0);
	ASSERT_STACK(c, stack, STACK_ROOT_BROKEN, 0x10, 0x1f);
}

static void test_truncation(void **state)
{
	struct chain_fixture *c = *state;
	uint64_t chain[1 + 127] = { PERF_CONTEXT_USER };
	uint32_t stack;

	for (size_t i = 1; i < 128; i++)
		chain[i] = TEXT + 0x10 * i;
	stack = stack_of(c, chain, 127, false);
	assert_int_equal(model_stack_root(&c->f.model, stack, NULL), STACK_ROOT_END);
	stack = stack_of(c, chain, 128, false);
	assert_int_equal(model_stack_root(&c->f.model, stack, NULL), STACK_ROOT_TRUNCATED);
	assert_int_equal(lost(c, LOSS_STACK_TRUNCATED), 1);
	(void)stack_of(c, chain, 128, false);
	assert_int_equal(lost(c, LOSS_STACK_TRUNCATED), 2);
}

/* The same addresses mean other code after another file is mapped there. */
static void test_changed_mapping(void **state)
{
	struct chain_fixture *c = *state;
	const struct model *model = &c->f.model;
	uint32_t before = STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20), after;

	apply_mmap(&c->f, TGID, TEXT, 0x10000, "/nowhere/lib/other.so");
	after = STACK(c, false, PERF_CONTEXT_USER, TEXT + 0x10, TEXT + 0x20);
	assert_int_not_equal(before, after);
	assert_string_equal(
		model_string(
			model,
			model->images
				.at[model->locations.at[model->stacks.at[after].location].image]
				.path),
		"/nowhere/lib/other.so");
}

static void test_repeated_chains_are_found(void **state)
{
	struct chain_fixture *c = *state;
	uint64_t found, walked;

	for (int i = 0; i < 100; i++)
		(void)STACK(c, true, PERF_CONTEXT_KERNEL, KERNEL, PERF_CONTEXT_USER, TEXT + 0x10,
			    TEXT + 0x20);
	chains_counts(c->chains, &found, &walked);
	assert_int_equal(walked, 2);	/* once for each part */
	assert_int_equal(found, 198);
}

static void test_without_a_chain(void **state)
{
	struct chain_fixture *c = *state;
	struct perf_record record = {
		.kind = RECORD_SAMPLE,
		.tgid = TGID,
		.tid = TGID,
		.sample.addr = TEXT + 0x44,
	};
	struct live_thread *thread = thread_at(&c->f, TGID, TGID);
	uint32_t stack = chain_stack(c->chains, thread, &record, false, &c->kernel_addrs,
				     &c->kernel_count);

	ASSERT_STACK(c, stack, STACK_ROOT_NONE, 0x44);
	record.kernel_mode = true;
	record.sample.addr = KERNEL + 0x44;
	stack = chain_stack(c->chains, thread, &record, false, &c->kernel_addrs, &c->kernel_count);
	ASSERT_STACK(c, stack, STACK_ROOT_NONE, KERNEL + 0x44);
	assert_int_equal(c->kernel_count, 1);
}

static void test_marks_of_others_are_left_out(void **state)
{
	struct chain_fixture *c = *state;
	uint32_t stack = STACK(c, true, PERF_CONTEXT_KERNEL, KERNEL, PERF_CONTEXT_GUEST_KERNEL,
			       0x1234567, (uint64_t)-640, 0x55, PERF_CONTEXT_USER, TEXT + 0x10);

	ASSERT_STACK(c, stack, STACK_ROOT_END, KERNEL, 0x10);
}

/* With precise events, the chain is that of the interrupt, and the address is that of the event. */
static void test_leaf_is_the_sampled_address(void **state)
{
	struct chain_fixture *c = *state;
	const uint64_t chain[] = { PERF_CONTEXT_USER, TEXT + 0x14, TEXT + 0x20 };
	struct perf_record record = {
		.kind = RECORD_SAMPLE,
		.tgid = TGID,
		.tid = TGID,
		.sample = { .addr = TEXT + 0x10, .chain = chain, .chain_count = 3 },
	};
	uint32_t stack = chain_stack(c->chains, thread_at(&c->f, TGID, TGID), &record, true,
				     &c->kernel_addrs, &c->kernel_count);

	ASSERT_STACK(c, stack, STACK_ROOT_END, 0x10, 0x1f);
}

static void test_bpf_program_is_an_image(void **state)
{
	struct chain_fixture *c = *state;
	const uint64_t addr = UINT64_C(0xffffffffc0001000);
	struct perf_record ksymbol = {
		.kind = RECORD_KSYMBOL,
		.ksymbol = { .addr = addr, .size_bytes = 0x100, .bpf = true, .name = "bpf_prog_x" },
	};
	uint32_t other = kernel_image_at(c->kernel_images, addr + 0x100);
	uint32_t image;

	kernel_images_apply(c->kernel_images, &ksymbol);
	image = kernel_image_at(c->kernel_images, addr + 0xff);
	assert_int_equal(c->f.model.images.at[image].kind, IMAGE_BPF);
	assert_int_equal(c->f.model.images.at[image].base_addr, addr);
	assert_int_equal(kernel_image_at(c->kernel_images, addr + 0x100), other);
	ksymbol.ksymbol.gone = true;
	kernel_images_apply(c->kernel_images, &ksymbol);
	kernel_images_apply(c->kernel_images, &ksymbol);
	assert_int_equal(kernel_image_at(c->kernel_images, addr + 0xff), other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, chain_set_up, chain_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_user_chain),
		TEST(test_kernel_on_top_of_user),
		TEST(test_terminators_are_clean_ends),
		TEST(test_garbage_breaks_the_walk),
		TEST(test_leaf_without_mapping),
		TEST(test_leaf_below_the_kernel_is_another_matter),
		TEST(test_new_callers_are_bounded),
		TEST(test_new_stacks_are_bounded),
		TEST(test_kernel_frames_on_known_stacks_are_bounded),
		TEST(test_new_mappings_of_callers_are_bounded),
		TEST(test_truncation),
		TEST(test_changed_mapping),
		TEST(test_repeated_chains_are_found),
		TEST(test_without_a_chain),
		TEST(test_marks_of_others_are_left_out),
		TEST(test_leaf_is_the_sampled_address),
		TEST(test_bpf_program_is_an_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
