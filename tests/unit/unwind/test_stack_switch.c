/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks by frame pointers from one stack to another. The code lies on the stack, so that the walk
 * can read it.
 */
#include "support/test.h"

#include "unwind/walk.h"

#define CODE_ADDR 0x18000u	/* address at which the walk begins */
#define STACK_ADDR 0x7000u
#define WORDS 64
#define FRAMES 8
#define CODE_WORD 40	/* word of the code before the return address */

struct fixture {
	uint64_t stack[WORDS];
	struct unwind_regs regs;
	uint64_t frames[FRAMES];
	size_t count;
};

static uint64_t word_addr(size_t index)
{
	return STACK_ADDR + 8 * index;
}

static bool image_at(void *context, uint64_t addr, struct unwind_image *ret_image)
{
	*ret_image = (struct unwind_image){ 0 };
	return addr >= STACK_ADDR;
}

static enum unwind_stop walk(struct fixture *f)
{
	const struct unwind_walk walk = {
		.memory = { (const uint8_t *)f->stack, STACK_ADDR, sizeof(f->stack) },
		.image = image_at,
		.frames = f->frames,
		.frames_max = FRAMES,
	};

	return unwind_walk(&walk, f->regs, &f->count);
}

static void assert_count(const struct fixture *f, size_t count)
{
	assert_int_equal(f->count, count);
	assert_int_equal(f->frames[0], CODE_ADDR);
	if (count > 1)
		assert_int_equal(f->frames[1], word_addr(CODE_WORD + 1));
}

/* fp leads to a frame below sp. The frame's return address is directly after @code. */
static struct fixture on_another_stack(uint64_t code, uint64_t saved_fp)
{
	struct fixture f = {
		.regs = { .ip = CODE_ADDR, .sp = word_addr(20), .fp = word_addr(4), .exact = 1 }
	};

	f.stack[4] = saved_fp;
	f.stack[5] = word_addr(CODE_WORD + 1);
	f.stack[CODE_WORD] = code;
	return f;
}

#if defined(__aarch64__)
#define NOP UINT64_C(0xaa0003e000000000)	/* mov x0, x0 */
static const uint64_t calls[] = {
	UINT64_C(0x97fffff000000000),	/* bl */
	UINT64_C(0xd63f008000000000),	/* blr x4 */
};
static const uint64_t no_calls[] = { 0, NOP, UINT64_C(0xd61f008000000000) };	/* br x4 */
#else
#define NOP UINT64_C(0x9000000000000000)
static const uint64_t calls[] = {
	UINT64_C(0x11223344e8000000),	/* call */
	UINT64_C(0xd7ff000000000000),	/* call *%rdi */
	UINT64_C(0x0850ff0000000000),	/* call *8(%rax) */
	UINT64_C(0x082454ff00000000),	/* call *8(%rsp) */
	UINT64_C(0x4433221115ff0000),	/* call *0x44332211(%rip) */
};
static const uint64_t no_calls[] = {
	0,
	NOP,
	UINT64_C(0xe0ff000000000000),	/* jmp *%rax */
	UINT64_C(0x000000e800000000),
};
#endif

static void a_stack_below_is_reached_by_calls(void **state)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct fixture f = on_another_stack(calls[i], word_addr(12));

		f.stack[13] = CODE_ADDR + 9;
		assert_int_equal(walk(&f), UNWIND_STOP_END);
		assert_count(&f, 3);
		assert_int_equal(f.frames[2], CODE_ADDR + 9);
	}
	for (size_t i = 0; i < sizeof(no_calls) / sizeof(*no_calls); i++) {
		struct fixture f = on_another_stack(no_calls[i], word_addr(12));

		assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
		assert_count(&f, 1);
	}
}

/*
 * A goroutine's first function was not called; its stack was set up to return there. Only that
 * function has no frame pointer to restore.
 */
static void the_first_frame_of_a_goroutine_is_behind_a_nop(void **state)
{
	struct fixture f = on_another_stack(NOP, 0);

	assert_int_equal(walk(&f), UNWIND_STOP_END);
	assert_count(&f, 2);
}

static void chains_rise_on_each_stack(void **state)
{
	struct fixture f = on_another_stack(calls[0], word_addr(3));

	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
	assert_count(&f, 1);
	f = on_another_stack(calls[0], word_addr(12));
	f.regs.fp++;	/* not aligned to a word */
	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
	assert_count(&f, 1);
}

/* The frames lead from word 4 up to word 12, and back to word 4, endlessly. */
static void circles_end(void **state)
{
	struct fixture f = on_another_stack(calls[0], word_addr(12));

	f.stack[12] = word_addr(4);
	f.stack[13] = word_addr(CODE_WORD + 1);
	assert_int_equal(walk(&f), UNWIND_STOP_DEEP);
	f.regs.switch_count = 2;
	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
	assert_count(&f, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_below_is_reached_by_calls),
		cmocka_unit_test(the_first_frame_of_a_goroutine_is_behind_a_nop),
		cmocka_unit_test(chains_rise_on_each_stack),
		cmocka_unit_test(circles_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
