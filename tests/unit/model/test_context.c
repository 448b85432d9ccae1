/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "model/context.h"

/* One page of text for each kind, 0x1000 apart, with gaps between them. */
#define ADDR(kind) (0x10000 + (uint64_t)(kind)*0x1000)

static struct text_range ranges[] = {
	{ ADDR(TEXT_ENTRY), ADDR(TEXT_ENTRY) + 0x800, TEXT_ENTRY },
	{ ADDR(TEXT_EXCEPTION), ADDR(TEXT_EXCEPTION) + 0x800, TEXT_EXCEPTION },
	{ ADDR(TEXT_HARDIRQ), ADDR(TEXT_HARDIRQ) + 0x800, TEXT_HARDIRQ },
	{ ADDR(TEXT_NMI), ADDR(TEXT_NMI) + 0x800, TEXT_NMI },
	{ ADDR(TEXT_SOFTIRQ), ADDR(TEXT_SOFTIRQ) + 0x800, TEXT_SOFTIRQ },
	{ ADDR(TEXT_CPUIDLE), ADDR(TEXT_CPUIDLE) + 0x800, TEXT_CPUIDLE },
	{ ADDR(TEXT_SCHED), ADDR(TEXT_SCHED) + 0x800, TEXT_SCHED },
};

static const struct kernel_text text = {
	.ranges = { ranges, sizeof(ranges) / sizeof(ranges[0]), 0 },
};

static void kinds_end_with_their_range(void **state)
{
	for (size_t i = 0; i < text.ranges.count; i++) {
		assert_int_equal(kernel_text_kind(&text, ranges[i].start_addr), ranges[i].kind);
		assert_int_equal(kernel_text_kind(&text, ranges[i].end_addr - 1), ranges[i].kind);
		assert_int_equal(kernel_text_kind(&text, ranges[i].start_addr - 1), TEXT_OTHER);
		assert_int_equal(kernel_text_kind(&text, ranges[i].end_addr), TEXT_OTHER);
	}
	assert_int_equal(kernel_text_kind(&text, 0), TEXT_OTHER);
	assert_int_equal(kernel_text_kind(&text, UINT64_MAX), TEXT_OTHER);
	assert_int_equal(kernel_text_kind(&(struct kernel_text){ 0 }, ADDR(TEXT_NMI)), TEXT_OTHER);
}

struct chain_case {
	enum context want;
	bool kernel_task, idle_task;
	enum text_kind frames[4]; /* innermost first */
};

static const struct chain_case chain_cases[] = {
	{ CONTEXT_SYSCALL, false, false, { TEXT_OTHER, TEXT_OTHER, TEXT_ENTRY } },
	{ CONTEXT_EXCEPTION, false, false, { TEXT_OTHER, TEXT_EXCEPTION } },
	/*
	 * an interrupt during a system call counts as the interrupt; a fault in a system call
	 * counts as the fault
	 */
	{ CONTEXT_HARDIRQ, false, false, { TEXT_OTHER, TEXT_HARDIRQ, TEXT_OTHER, TEXT_ENTRY } },
	{ CONTEXT_EXCEPTION, false, false, { TEXT_OTHER, TEXT_EXCEPTION, TEXT_OTHER, TEXT_ENTRY } },
	/* softirqs run at the end of an interrupt, and can be interrupted */
	{ CONTEXT_SOFTIRQ, false, false, { TEXT_OTHER, TEXT_SOFTIRQ, TEXT_HARDIRQ } },
	{ CONTEXT_HARDIRQ, false, false, { TEXT_OTHER, TEXT_HARDIRQ, TEXT_SOFTIRQ } },
	{ CONTEXT_NMI, false, false, { TEXT_NMI, TEXT_HARDIRQ } },
	/* preempted at the end of the interrupt: this is the task's own time */
	{ CONTEXT_SYSCALL, false, false, { TEXT_SCHED, TEXT_HARDIRQ, TEXT_OTHER, TEXT_ENTRY } },
	{ CONTEXT_KTHREAD, true, false, { TEXT_OTHER, TEXT_SCHED, TEXT_HARDIRQ, TEXT_OTHER } },
	/* an interrupt inside the scheduler still counts as an interrupt */
	{ CONTEXT_HARDIRQ, false, false, { TEXT_OTHER, TEXT_HARDIRQ, TEXT_SCHED, TEXT_ENTRY } },
	/* only the idle task can be idle */
	{ CONTEXT_IDLE, true, true, { TEXT_CPUIDLE, TEXT_OTHER } },
	{ CONTEXT_KTHREAD, true, false, { TEXT_CPUIDLE, TEXT_OTHER } },
	{ CONTEXT_HARDIRQ, true, true, { TEXT_OTHER, TEXT_HARDIRQ, TEXT_CPUIDLE } },
	/* the stack does not show how the kernel was entered */
	{ CONTEXT_KTHREAD, true, false, { TEXT_OTHER } },
	{ CONTEXT_KERNEL, false, false, { TEXT_OTHER } },
};

static void innermost_entry_decides(void **state)
{
	for (size_t i = 0; i < sizeof(chain_cases) / sizeof(chain_cases[0]); i++) {
		const struct chain_case *c = &chain_cases[i];
		uint64_t addrs[4];

		for (size_t j = 0; j < 4; j++)
			addrs[j] = ADDR(c->frames[j]) + 0x10;
		if (context_of_chain(&text, addrs, 4, c->kernel_task, c->idle_task) != c->want)
			fail_msg("case %zu is not %s", i, context_name(c->want));
	}
}

static void nothing_is_known_without_kallsyms(void **state)
{
	const struct kernel_text none = { 0 };
	const uint64_t addrs[] = { ADDR(TEXT_SOFTIRQ), ADDR(TEXT_ENTRY) };

	assert_int_equal(context_of_chain(&none, addrs, 2, false, false), CONTEXT_KERNEL);
	assert_int_equal(context_of_chain(&none, addrs, 2, true, true), CONTEXT_KTHREAD);
	assert_int_equal(context_of_chain(&text, addrs, 0, false, false), CONTEXT_KERNEL);
}

static void names_go_both_ways(void **state)
{
	for (int context = 0; context < CONTEXT_COUNT; context++)
		assert_int_equal(context_of_name(context_name((enum context)context)), context);
	assert_int_equal(context_of_name("nap"), -1);
	assert_int_equal(context_of_name(""), -1);
	assert_string_equal(context_name((enum context)CONTEXT_COUNT), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_end_with_their_range),
		cmocka_unit_test(innermost_entry_decides),
		cmocka_unit_test(nothing_is_known_without_kallsyms),
		cmocka_unit_test(names_go_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
