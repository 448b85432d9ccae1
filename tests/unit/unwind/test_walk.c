/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks over hand-made stacks. The code is at 0x1000 of one image with bias 0x10000. */
#include "support/test.h"

#include "unwind/walk.h"

#define BIAS 0x10000u
#define UNDESCRIBED_ADDR (BIAS + 0x8000)
#define STACK_ADDR 0x7000u
#define WORDS 64
#define FRAMES 8

struct fixture {
	struct unwind_row rows[8];
	struct unwind_rule rules[8];
	struct unwind_table table;
	uint64_t stack[WORDS];
	struct unwind_regs regs;
	uint64_t frames[FRAMES];
	uint8_t by_frame_pointer[FRAMES];
	struct unwind_regs last;
	size_t count;
};

static struct fixture begin(void)
{
	struct fixture f = { .regs = { .sp = STACK_ADDR, .exact = 1 } };

	return f;
}

/*
 * Adds a function at @offset of the image, whose frames are undone by @rule. Returns its address.
 */
static uint64_t add(struct fixture *f, uint32_t offset, struct unwind_rule rule)
{
	f->rules[f->table.rows.count] = rule;
	f->rows[f->table.rows.count] = (struct unwind_row){
		.offset = offset,
		.rule = (uint16_t)f->table.rows.count,
	};
	f->table.rows.count++;
	return BIAS + 0x1000 + offset;
}

static struct unwind_rule on_sp(int32_t cfa_offset)
{
	return (struct unwind_rule){
		.kind = UNWIND_CFA,
		.cfa_base = UNWIND_BASE_SP,
		.cfa_offset = cfa_offset,
		.ra_base = UNWIND_BASE_CFA,
		.ra_offset = -8,
	};
}

static uint64_t add_end(struct fixture *f, uint32_t offset)
{
	return add(f, offset, (struct unwind_rule){ .kind = UNWIND_END });
}

static uint64_t word_addr(size_t index)
{
	return STACK_ADDR + 8 * index;
}

static bool image_at(void *context, uint64_t addr, struct unwind_image *ret_image)
{
	struct fixture *f = context;

	*ret_image = (struct unwind_image){
		.table = addr < UNDESCRIBED_ADDR ? &f->table : NULL,
		.bias = BIAS,
	};
	return addr >= BIAS && addr < BIAS + 0x10000;
}

static enum unwind_stop walk(struct fixture *f)
{
	struct unwind_walk walk = {
		.memory = { (const uint8_t *)f->stack, STACK_ADDR, sizeof(f->stack) },
		.image = image_at,
		.context = f,
		.frames = f->frames,
		.frames_max = FRAMES,
		.by_frame_pointer = f->by_frame_pointer,
		.last = &f->last,
	};

	f->table.base_vaddr = 0x1000;
	f->table.rows.at = f->rows;
	f->table.rules.at = f->rules;
	return unwind_walk(&walk, f->regs, &f->count);
}

#define ASSERT_FRAMES(f, ...)									\
	do {											\
		const uint64_t _wanted[] = { __VA_ARGS__ };					\
												\
		assert_int_equal((f)->count, sizeof(_wanted) / sizeof(*_wanted));		\
		assert_memory_equal((f)->frames, _wanted, sizeof(_wanted));			\
	} while (0)

static void frames_by_sp_and_by_fp(void **state)
{
	struct fixture f = begin();
	uint64_t leaf = add(&f, 0, on_sp(16)), middle, outer;
	struct unwind_rule on_fp = on_sp(16);

	on_fp.cfa_base = UNWIND_BASE_FP;
	on_fp.fp_base = UNWIND_BASE_CFA;
	on_fp.fp_offset = -16;
	middle = add(&f, 0x100, on_fp) + 0x20;
	(void)add(&f, 0x200, on_fp);
	outer = add_end(&f, 0x300) + 1;
	f.regs.ip = leaf + 4;
	f.regs.fp = word_addr(10);
	f.stack[1] = middle;
	f.stack[10] = word_addr(20);	/* the caller's saved fp, followed by its return address */
	f.stack[11] = middle + 0x100;
	f.stack[21] = outer;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, leaf + 4, middle, middle + 0x100, outer);
}

/*
 * Its slot is below sp, where a copy ends, so the register is used. A slot above sp must be in the
 * copy.
 */
static void a_popped_frame_pointer_is_in_its_register(void **state)
{
	struct fixture f = begin();
	struct unwind_rule epilogue = on_sp(8), on_fp = on_sp(16);
	uint64_t leaf, middle, outer;

	epilogue.fp_base = UNWIND_BASE_CFA;
	epilogue.fp_offset = -16;
	leaf = add(&f, 0, epilogue);
	on_fp.cfa_base = UNWIND_BASE_FP;
	middle = add(&f, 0x100, on_fp) + 8;
	outer = add_end(&f, 0x200) + 8;
	f.regs.ip = leaf;
	f.regs.fp = word_addr(10);
	f.stack[0] = middle;
	f.stack[11] = outer;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, leaf, middle, outer);
	f.rules[0].fp_offset = 8 * WORDS;
	assert_int_equal(walk(&f), UNWIND_STOP_UNREADABLE);
}

/* A call that does not return may be the last instruction of its function. */
static void callers_are_looked_up_before_the_return(void **state)
{
	struct fixture f = begin();
	uint64_t leaf = add(&f, 0, on_sp(8)), next;

	(void)add_end(&f, 0x100);
	next = add(&f, 0x200, (struct unwind_rule){ .kind = UNWIND_UNSUPPORTED });
	f.regs.ip = leaf;
	f.stack[0] = next;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	f.regs.ip = next;	/* the innermost address is looked up without subtracting 1 */
	assert_int_equal(walk(&f), UNWIND_STOP_UNSUPPORTED);
	ASSERT_FRAMES(&f, next);
}

/* On aarch64 the interrupted code may be a function that has not saved its return address. */
static void what_a_signal_interrupted_in_a_leaf(void **state)
{
	struct fixture f = begin();
	struct unwind_rule signal = {
		.kind = UNWIND_CFA_AT,
		.flags = UNWIND_SIGNAL | UNWIND_SIGNAL_LINK,
		.cfa_base = UNWIND_BASE_SP,
		.cfa_offset = 80,
		.fp_base = UNWIND_BASE_SP,
		.fp_offset = 64,
		.ra_base = UNWIND_BASE_SP,
		.ra_offset = 88,
	};
	const struct unwind_rule leaf = { .kind = UNWIND_CFA, .cfa_base = UNWIND_BASE_SP };
	uint64_t trampoline = add(&f, 0, signal) + 1, interrupted, outer;

	interrupted = add(&f, 0x100, leaf) + 4;
	outer = add_end(&f, 0x200) + 8;
	f.regs.ip = trampoline;
	f.regs.exact = 0;
	f.regs.is_new = 1;
	f.stack[9] = outer;			/* x30, after x29 */
	f.stack[10] = word_addr(20);
	f.stack[11] = interrupted;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, trampoline, interrupted + 1, outer);
	f.rules[0].flags = UNWIND_SIGNAL;
	assert_int_equal(walk(&f), UNWIND_STOP_NO_EXTRA);
	ASSERT_FRAMES(&f, trampoline, interrupted + 1);
}

/*
 * In a signal frame, every register is where the kernel saved it. The interrupted stack may be
 * another one.
 */
static void what_a_signal_interrupted(void **state)
{
	struct fixture f = begin();
	struct unwind_rule signal = {
		.kind = UNWIND_CFA_AT,
		.flags = UNWIND_SIGNAL,
		.cfa_base = UNWIND_BASE_SP,
		.cfa_offset = 160,
		.fp_base = UNWIND_BASE_SP,
		.fp_offset = 120,
		.ra_base = UNWIND_BASE_SP,
		.ra_offset = 168,
	};
	struct unwind_rule on_fp = on_sp(16);
	uint64_t trampoline = add(&f, 0, signal) + 1, interrupted, outer;

	on_fp.cfa_base = UNWIND_BASE_FP;
	/* at the function's first byte, so ip - 1 would be in the trampoline */
	interrupted = add(&f, 0x100, on_fp);
	outer = add_end(&f, 0x200) + 8;
	f.regs.ip = trampoline;
	f.regs.exact = 0;
	f.regs.sp = word_addr(30);
	f.stack[30 + 20] = word_addr(2);	/* below the signal frame */
	f.stack[30 + 15] = word_addr(4);
	f.stack[30 + 21] = interrupted;
	f.stack[5] = outer;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, trampoline, interrupted + 1, outer);
}

static void plt_entries_have_pushed_or_not(void **state)
{
	struct fixture f = begin();
	struct unwind_rule rule = on_sp(8);
	uint64_t plt, outer;

	rule.kind = UNWIND_PLT;
	rule.fp_offset = 11;
	plt = add(&f, 0, rule);
	outer = add_end(&f, 0x100) + 8;
	f.stack[0] = outer + 1;
	f.stack[1] = outer + 2;
	f.regs.ip = plt + 0x2a;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, plt + 0x2a, outer + 1);
	f.regs.ip = plt + 0x2b;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, plt + 0x2b, outer + 2);
}

static void realigned_stacks(void **state)
{
	struct fixture f = begin();
	struct unwind_rule prologue = on_sp(0), body = on_sp(-8);
	uint64_t leaf, outer;

	prologue.cfa_base = UNWIND_BASE_EXTRA;
	body.kind = UNWIND_CFA_AT;
	body.cfa_base = UNWIND_BASE_FP;
	body.fp_base = UNWIND_BASE_FP;
	leaf = add(&f, 0, prologue);
	(void)add(&f, 0x10, body);
	outer = add_end(&f, 0x100) + 8;
	f.stack[19] = outer;
	f.regs.ip = leaf;
	f.regs.extra = word_addr(20);
	assert_int_equal(walk(&f), UNWIND_STOP_NO_EXTRA);
	f.regs.has_extra = 1;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, leaf, outer);

	f.regs = (struct unwind_regs){
		.ip = leaf + 0x10, .sp = STACK_ADDR, .fp = word_addr(9), .exact = 1
	};
	f.stack[8] = word_addr(20);
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, leaf + 0x10, outer);

	f.rules[1].flags = UNWIND_PLUS_WORD;	/* the saved words are one word lower */
	f.stack[8] = word_addr(19);
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, leaf + 0x10, outer);
}

/*
 * Makes a leaf, a function that saves the kept register, one that leaves it alone, and one whose
 * CFA is relative to it.
 */
static struct fixture with_kept(struct unwind_rule save)
{
	struct fixture f = begin();
	struct unwind_rule leaf_rule = on_sp(8), on_kept = on_sp(16);
	uint64_t leaf = add(&f, 0, leaf_rule);

	on_kept.cfa_base = UNWIND_BASE_KEPT;
	f.stack[0] = add(&f, 0x100, save) + 8;
	f.stack[4] = add(&f, 0x200, leaf_rule) + 8;
	f.stack[5] = add(&f, 0x300, on_kept) + 8;
	f.stack[21] = add_end(&f, 0x400) + 8;
	f.regs.ip = leaf;
	f.regs.kept = 12345;
	f.stack[3] = word_addr(20);
	return f;
}

static void frames_by_the_kept_register(void **state)
{
	struct unwind_rule save = on_sp(32);
	struct fixture f;

	save.kept_words = -2;
	f = with_kept(save);
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, f.regs.ip, f.stack[0], f.stack[4], f.stack[5], f.stack[21]);
	f.stack[3] = word_addr(4);		/* below the frame of its callee */
	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
	f.stack[3] = 0;
	assert_int_equal(walk(&f), UNWIND_STOP_NO_EXTRA);
	assert_int_equal(f.count, 4);
}

static void a_kept_register_that_is_not_known(void **state)
{
	struct unwind_rule save = on_sp(32);
	struct fixture f;

	save.kept_words = UNWIND_KEPT_LOST;
	f = with_kept(save);
	f.regs.kept = word_addr(20);
	assert_int_equal(walk(&f), UNWIND_STOP_NO_EXTRA);
	assert_int_equal(f.count, 4);
	f.rules[1].kept_words = WORDS;		/* beyond the copied stack */
	assert_int_equal(walk(&f), UNWIND_STOP_NO_EXTRA);
	f.rules[1].kept_words = -20;		/* below sp, so the register has its value back */
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	f.rules[1].kept_words = UNWIND_KEPT_ALONE;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	f.regs.kept = 0;
	assert_int_equal(walk(&f), UNWIND_STOP_NO_EXTRA);
}

/* A leaf returns through link (aarch64). Its caller has saved link, signed or not. */
static void the_return_address_in_a_register(void **state)
{
	struct fixture f = begin();
	struct unwind_rule leaf_rule = { .kind = UNWIND_CFA, .cfa_base = UNWIND_BASE_SP };
	struct unwind_rule saved = on_sp(32);
	uint64_t leaf = add(&f, 0, leaf_rule), caller, outer;

	saved.flags = UNWIND_SIGNED_RA;
	caller = add(&f, 0x100, saved) + 4;
	outer = add_end(&f, 0x200) + 8;
	f.regs.ip = leaf;
	assert_int_equal(walk(&f), UNWIND_STOP_NO_EXTRA);
	f.regs.has_extra = 1;
	f.regs.link = caller;
	f.stack[3] = outer | UINT64_C(0x12) << 56;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, leaf, caller, outer);

	f.regs.link = leaf + 4;	/* the frame takes no stack and has no new return address */
	assert_int_equal(walk(&f), UNWIND_STOP_NO_EXTRA);
	assert_int_equal(f.count, 2);
}

static void walks_that_cannot_go_on(void **state)
{
	struct fixture f = begin();
	uint64_t leaf = add(&f, 0x10, on_sp(16));

	f.regs.ip = leaf;
	f.stack[1] = 0x500;
	assert_int_equal(walk(&f), UNWIND_STOP_NO_IMAGE);
	ASSERT_FRAMES(&f, leaf, 0x500);
	f.stack[1] = 0;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	f.regs.sp = word_addr(WORDS) - 15;	/* one byte too few */
	assert_int_equal(walk(&f), UNWIND_STOP_UNREADABLE);
	f.regs.sp = STACK_ADDR - 17;
	assert_int_equal(walk(&f), UNWIND_STOP_UNREADABLE);
	f.regs.sp = UINT64_MAX - 8;		/* wraps around the end of the address space */
	assert_int_equal(walk(&f), UNWIND_STOP_UNREADABLE);
	ASSERT_FRAMES(&f, leaf);
}

/* In a gap between rows, before all rows, and in an image without a table. */
static void code_that_no_row_describes(void **state)
{
	struct fixture f = begin();
	uint64_t leaf = add(&f, 0x10, on_sp(16)), gap = add(&f, 0x100, (struct unwind_rule){ 0 });
	const uint64_t callers[] = { gap + 1, leaf, UNDESCRIBED_ADDR };

	f.regs.ip = leaf;
	for (size_t i = 0; i < 3; i++) {
		f.stack[1] = callers[i];
		f.regs.fp = 0;
		assert_int_equal(walk(&f), UNWIND_STOP_END);
		ASSERT_FRAMES(&f, leaf, callers[i]);
		f.regs.fp = 12345;
		assert_int_equal(walk(&f), UNWIND_STOP_UNREADABLE);
		assert_int_equal(f.last.ip, callers[i]);
		assert_int_equal(f.last.fp, 12345);
		f.regs.fp = word_addr(4);
		f.stack[4] = 0;			/* the caller's saved fp; it ends the chain */
		f.stack[5] = gap + 9;
		assert_int_equal(walk(&f), UNWIND_STOP_END);
		ASSERT_FRAMES(&f, leaf, callers[i], gap + 9);
		assert_int_equal(f.by_frame_pointer[0], 0);
		assert_int_equal(f.by_frame_pointer[1], 1);
		/* the frame at which the 0 ended the chain */
		assert_int_equal(f.by_frame_pointer[2], 1);
	}
}

/*
 * No call comes from the end of padding. A return address in the middle of padding shows that it is
 * code.
 */
static void padding_has_no_caller(void **state)
{
	struct fixture f = begin();
	uint64_t leaf = add(&f, 0x10, on_sp(16));
	uint64_t padding = add(&f, 0x101, (struct unwind_rule){ .kind = UNWIND_PADDING });
	uint64_t next = add_end(&f, 0x110), outer = next + 1;

	f.regs.ip = leaf;
	f.regs.fp = word_addr(4);
	f.stack[1] = next;
	f.stack[5] = outer;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, leaf, next);
	assert_int_equal(f.by_frame_pointer[1], 0);
	for (uint64_t addr = padding + 1; addr < next; addr++) {
		f.stack[1] = addr;
		assert_int_equal(walk(&f), UNWIND_STOP_END);
		ASSERT_FRAMES(&f, leaf, addr, outer);
		assert_int_equal(f.by_frame_pointer[1], 1);
	}
	f.regs.ip = next - 1;	/* interrupted at this address */
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, next - 1, outer);
	assert_int_equal(f.by_frame_pointer[0], 1);
}

static void frames_go_up(void **state)
{
	struct fixture f = begin();
	struct unwind_rule on_fp = on_sp(16);
	uint64_t leaf;

	on_fp.cfa_base = UNWIND_BASE_FP;
	leaf = add(&f, 0, on_fp);
	f.regs = (struct unwind_regs){
		.ip = leaf, .sp = word_addr(8), .fp = word_addr(6), .exact = 1
	};
	f.stack[7] = leaf + 1;
	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);	/* the frame would be empty */
	f.regs.fp = word_addr(2);
	f.stack[3] = leaf + 1;
	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
	assert_int_equal(f.count, 1);
	f.regs.fp = word_addr(7);
	f.stack[8] = leaf + 1;
	/* the second frame is at the same place as the first */
	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
	assert_int_equal(f.count, 2);
}

/* In the gap of clone(), the parent has a caller, and the thread that has just begun has none. */
static void new_threads_have_no_caller(void **state)
{
	struct fixture f = begin();
	struct unwind_rule rule = on_sp(8);
	uint64_t clone, caller;

	rule.flags = UNWIND_CLONES;
	clone = add(&f, 0, rule);
	caller = add_end(&f, 0x100) + 1;
	f.regs.ip = clone;
	f.regs.has_extra = 1;
	f.stack[0] = caller;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, clone, caller);
	f.regs.is_new = 1;
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, clone);
	f.regs.has_extra = 0;	/* no longer the innermost frame */
	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, clone, caller);
}

/*
 * Leaf function, then code that runs on a second stack at higher addresses, then the function that
 * switched stacks. Its frame, to which fp points, is on the first stack.
 */
static struct fixture on_a_second_stack(enum unwind_kind kind, uint64_t *ret_caller)
{
	struct fixture f = begin();
	struct unwind_rule by_fp = on_sp(16);
	uint64_t second;

	f.regs.ip = add(&f, 0, on_sp(8));
	by_fp.kind = (uint8_t)kind;
	by_fp.cfa_base = UNWIND_BASE_FP;
	by_fp.fp_base = UNWIND_BASE_CFA;
	by_fp.fp_offset = -16;
	second = add(&f, 0x100, by_fp) + 0x20;
	*ret_caller = add_end(&f, 0x200) + 1;
	f.regs.sp = word_addr(40);
	f.regs.fp = word_addr(10);
	f.stack[40] = second;
	f.stack[10] = word_addr(20);
	f.stack[11] = *ret_caller;
	return f;
}

static void rules_can_switch_stacks(void **state)
{
	uint64_t caller;
	struct fixture f = on_a_second_stack(UNWIND_SWITCH, &caller);

	assert_int_equal(walk(&f), UNWIND_STOP_END);
	ASSERT_FRAMES(&f, BIAS + 0x1000, BIAS + 0x1120, caller);
	assert_int_equal(f.last.sp, word_addr(12));
	assert_int_equal(f.last.fp, word_addr(20));
	f = on_a_second_stack(UNWIND_CFA, &caller);
	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
}

/* All frames that are known are found, but the walk does not claim that these are all frames. */
static void a_walk_past_a_caller_says_so(void **state)
{
	uint64_t caller;
	struct fixture f = on_a_second_stack(UNWIND_SWITCH_PAST, &caller);

	assert_int_equal(walk(&f), UNWIND_STOP_PAST);
	ASSERT_FRAMES(&f, BIAS + 0x1000, BIAS + 0x1120, caller);
	f.stack[11] = 0;	/* the outermost frame has no return address */
	assert_int_equal(walk(&f), UNWIND_STOP_PAST);
	ASSERT_FRAMES(&f, BIAS + 0x1000, BIAS + 0x1120);
	f.stack[11] = UNDESCRIBED_ADDR;	/* code without a table, and fp is 0 */
	f.stack[10] = 0;
	assert_int_equal(walk(&f), UNWIND_STOP_PAST);
	assert_int_equal(f.count, 3);
}

/* Frames of two stacks that lead to each other. */
static void stacks_are_not_switched_for_ever(void **state)
{
	uint64_t caller;
	struct fixture f = on_a_second_stack(UNWIND_SWITCH, &caller);

	f.stack[10] = word_addr(10);
	f.stack[11] = BIAS + 0x1120;
	assert_int_equal(walk(&f), UNWIND_STOP_STUCK);
	assert_in_range(f.count, 2, FRAMES - 1);
}

static void deep_stacks_are_cut(void **state)
{
	struct fixture f = begin();
	uint64_t leaf = add(&f, 0, on_sp(8));

	for (size_t i = 0; i < WORDS; i++)
		f.stack[i] = leaf + 8;
	f.regs.ip = leaf;
	assert_int_equal(walk(&f), UNWIND_STOP_DEEP);
	assert_int_equal(f.count, FRAMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_by_sp_and_by_fp),
		cmocka_unit_test(a_popped_frame_pointer_is_in_its_register),
		cmocka_unit_test(callers_are_looked_up_before_the_return),
		cmocka_unit_test(what_a_signal_interrupted),
		cmocka_unit_test(what_a_signal_interrupted_in_a_leaf),
		cmocka_unit_test(plt_entries_have_pushed_or_not),
		cmocka_unit_test(realigned_stacks),
		cmocka_unit_test(frames_by_the_kept_register),
		cmocka_unit_test(a_kept_register_that_is_not_known),
		cmocka_unit_test(the_return_address_in_a_register),
		cmocka_unit_test(walks_that_cannot_go_on),
		cmocka_unit_test(code_that_no_row_describes),
		cmocka_unit_test(padding_has_no_caller),
		cmocka_unit_test(frames_go_up),
		cmocka_unit_test(new_threads_have_no_caller),
		cmocka_unit_test(rules_can_switch_stacks),
		cmocka_unit_test(a_walk_past_a_caller_says_so),
		cmocka_unit_test(stacks_are_not_switched_for_ever),
		cmocka_unit_test(deep_stacks_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
