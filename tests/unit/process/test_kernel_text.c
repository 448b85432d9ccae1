/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's text ranges, from hand-written symbol tables and from this machine's table. */
#include "support/test.h"

#include <errno.h>

#include "process/kernel_text.h"
#include "support/temp.h"

/* The layout of x86_64: __irqentry_text lies inside of __entry_text. */
static const char table[] = "ffffffff81000000 T _stext\n"
			    "ffffffff81000010 T __entry_text_start\n"
			    "ffffffff81000080 T entry_SYSCALL_64\n"
			    "ffffffff81000300 T __irqentry_text_start\n"
			    "ffffffff81000300 T irq_entries_start\n"
			    "ffffffff81000a10 T asm_exc_divide_error\n"
			    "ffffffff81000a30 T asm_exc_page_fault\n"
			    "ffffffff81000c90 T asm_int80_emulation\n"
			    "ffffffff81000cb0 T asm_exc_nmi_kvm_vmx\n"
			    "ffffffff81000d40 T asm_common_interrupt\n"
			    "ffffffff81000f70 T __irqentry_text_end\n"
			    "ffffffff81001000 t common_interrupt_return\n"
			    "ffffffff810015b0 T asm_exc_nmi\n"
			    "ffffffff81001a00 t clear_bhb_loop\n"
			    "ffffffff81001a87 T __entry_text_end\n"
			    "ffffffff81360070 t handle_softirqs\n"
			    "ffffffff81360400 T __do_softirq_after\n"
			    "ffffffff821f4720 T __cpuidle_text_start\n"
			    "ffffffff821f4720 T default_idle\n"
			    "ffffffff821f54c5 T __cpuidle_text_end\n"
			    "ffffffff821f84a0 T __sched_text_start\n"
			    "ffffffff82200fb7 T __sched_text_end\n"
			    "ffffffff82202a10 T __softirqentry_text_start\n"
			    "ffffffff82202a2c T __softirqentry_text_end\n"
			    "ffffffff82209988 T _etext\n";

static struct kernel_text read_text(const char *symbols)
{
	struct temp_dir dir = temp_dir_make();
	const char *path = temp_file(&dir, "kallsyms", symbols, strlen(symbols));
	struct kallsyms kallsyms;
	struct kernel_text text;

	assert_int_equal(kallsyms_read(path, &kallsyms, NULL), 0);
	assert_int_equal(kernel_text_from_kallsyms(&kallsyms, &text), 0);
	kallsyms_fini(&kallsyms);
	temp_dir_remove(&dir);
	return text;
}

static void assert_sorted(const struct kernel_text *text)
{
	for (size_t i = 0; i < text->ranges.count; i++) {
		assert_true(text->ranges.at[i].start_addr < text->ranges.at[i].end_addr);
		if (i > 0)
			assert_true(text->ranges.at[i - 1].end_addr <=
				    text->ranges.at[i].start_addr);
	}
}

static void test_nested_sections(void **state)
{
	static const struct {
		uint64_t addr;
		enum text_kind kind;
	} cases[] = {
		{ 0xffffffff8100000f, TEXT_OTHER },	{ 0xffffffff81000010, TEXT_ENTRY },
		{ 0xffffffff810002ff, TEXT_ENTRY },	{ 0xffffffff81000300, TEXT_HARDIRQ },
		{ 0xffffffff81000a10, TEXT_EXCEPTION }, { 0xffffffff81000c8f, TEXT_EXCEPTION },
		{ 0xffffffff81000c90, TEXT_ENTRY },	{ 0xffffffff81000cb0, TEXT_NMI },
		{ 0xffffffff81000d40, TEXT_HARDIRQ },	{ 0xffffffff81000f6f, TEXT_HARDIRQ },
		{ 0xffffffff81000f70, TEXT_ENTRY },	{ 0xffffffff810015b0, TEXT_NMI },
		{ 0xffffffff81001a00, TEXT_ENTRY },	{ 0xffffffff81001a87, TEXT_OTHER },
		{ 0xffffffff81360070, TEXT_SOFTIRQ },	{ 0xffffffff813603ff, TEXT_SOFTIRQ },
		{ 0xffffffff81360400, TEXT_OTHER },	{ 0xffffffff821f4720, TEXT_CPUIDLE },
		{ 0xffffffff821f9000, TEXT_SCHED },	{ 0xffffffff82202a10, TEXT_SOFTIRQ },
	};
	struct kernel_text text = read_text(table);

	assert_sorted(&text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(kernel_text_kind(&text, cases[i].addr), cases[i].kind);
	kernel_text_fini(&text);
}

static void test_missing_markers_are_left_out(void **state)
{
	struct kernel_text text = read_text("ffffffff81000000 T _stext\n"
					    "ffffffff821f84a0 T __sched_text_start\n"
					    "ffffffff82200fb7 T __sched_text_end\n"
					    "ffffffff82202a10 T __softirqentry_text_start\n"
					    "ffffffff82209988 T _etext\n");

	assert_int_equal(text.ranges.count, 1);
	assert_int_equal(text.ranges.at[0].kind, TEXT_SCHED);
	kernel_text_fini(&text);
}

/* Every symbol of this kernel whose name shows its kind must lie in a range of that kind. */
static void test_this_kernel(void **state)
{
	struct kallsyms kallsyms;
	struct kernel_text text;
	size_t checked = 0;

	if (kallsyms_read("/proc/kallsyms", &kallsyms, NULL) < 0) {
		print_message("skipped: /proc/kallsyms cannot be read\n");
		skip();
	}
	assert_int_equal(kernel_text_from_kallsyms(&kallsyms, &text), 0);
	assert_sorted(&text);
	for (size_t i = 0; i < kallsyms.symbols.count; i++) {
		const struct kernel_symbol *symbol = &kallsyms.symbols.at[i];
		const char *name = kallsyms_string(&kallsyms, symbol->name);
		enum text_kind kind = kernel_text_kind(&text, symbol->addr);

		if (strncmp(name, "asm_exc_nmi", 11) == 0)
			assert_int_equal(kind, TEXT_NMI);
		else if (strncmp(name, "asm_exc_", 8) == 0)
			assert_int_equal(kind, TEXT_EXCEPTION);
		else if (strncmp(name, "asm_sysvec_", 11) == 0)
			assert_int_equal(kind, TEXT_HARDIRQ);
		else
			continue;
		checked++;
	}
#ifdef __x86_64__
	assert_true(checked > 0);
#endif
	kernel_text_fini(&text);
	kallsyms_fini(&kallsyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_sections),
		cmocka_unit_test(test_missing_markers_are_left_out),
		cmocka_unit_test(test_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
