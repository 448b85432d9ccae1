/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>

#include "elf/kallsyms.h"
#include "support/temp.h"

static int read_text(const char *text, struct kallsyms *ret_kallsyms, struct err *err)
{
	struct temp_dir dir = temp_dir_make();
	int rc = kallsyms_read(temp_file(&dir, "kallsyms", text, strlen(text)), ret_kallsyms, err);

	temp_dir_remove(&dir);
	return rc;
}

static const char *name_at(const struct kallsyms *kallsyms, uint64_t addr, uint64_t *ret_end_addr)
{
	const struct kernel_symbol *symbol = kallsyms_lookup(kallsyms, addr, ret_end_addr);

	return symbol ? kallsyms_string(kallsyms, symbol->name) : "-";
}

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81000000 T _text\n"
			     "ffffffff81000100 T __irqentry_text_start\n"
			     "ffffffff81000100 t asm_exc_page_fault\n"
			     "ffffffff810001f0 t __pfx_do_work\n"
			     "ffffffff81000200 t local_alias\n"
			     "ffffffff81000200 W weak_alias\n"
			     "ffffffff81000200 T do_work\n"
			     "ffffffff81000300 T last_function\n"
			     "ffffffff82000000 D some_data\n"
			     "ffffffff81000400 T _etext\n"
			     "ffffffffc0002000 t second\t[mod_b]\n"
			     "ffffffffc0001000 t first\t[mod_a]\n"
			     "ffffffffc0001040 t next\t[mod_a]\n"
			     "ffffffffc0900000 t bpf_prog_0123\t[bpf]\n";

static void keeps_text_sorted(void **state)
{
	struct kallsyms kallsyms;

	assert_int_equal(read_text(kernel, &kallsyms, NULL), 0);
	assert_int_equal(kallsyms.symbols.count, 14);
	for (size_t i = 1; i < kallsyms.symbols.count; i++)
		assert_true(kallsyms.symbols.at[i - 1].addr <= kallsyms.symbols.at[i].addr);
	assert_int_equal(kallsyms.text_start_addr, 0xffffffff81000000);
	assert_int_equal(kallsyms.text_end_addr, 0xffffffff81000400);
	assert_int_equal(kallsyms_addr(&kallsyms, "do_work"), 0xffffffff81000200);
	assert_int_equal(kallsyms_addr(&kallsyms, "some_data"), 0);
	kallsyms_fini(&kallsyms);
}

static void prefers_the_telling_name(void **state)
{
	struct kallsyms kallsyms;
	uint64_t end_addr;

	assert_int_equal(read_text(kernel, &kallsyms, NULL), 0);
	assert_string_equal(name_at(&kallsyms, 0xffffffff81000200, &end_addr), "do_work");
	assert_int_equal(end_addr, 0xffffffff81000300);
	assert_string_equal(name_at(&kallsyms, 0xffffffff81000110, &end_addr),
			    "asm_exc_page_fault");
	assert_int_equal(end_addr, 0xffffffff810001f0);
	assert_string_equal(name_at(&kallsyms, 0xffffffff810001f8, &end_addr), "__pfx_do_work");
	assert_int_equal(end_addr, 0xffffffff81000200);
	kallsyms_fini(&kallsyms);
}

static void names_end_with_their_text(void **state)
{
	struct kallsyms kallsyms;
	uint64_t end_addr;

	assert_int_equal(read_text(kernel, &kallsyms, NULL), 0);
	assert_string_equal(name_at(&kallsyms, 0xffffffff80ffffff, &end_addr), "-");
	assert_string_equal(name_at(&kallsyms, 0xffffffff810003ff, &end_addr), "last_function");
	assert_int_equal(end_addr, 0xffffffff81000400);
	assert_string_equal(name_at(&kallsyms, 0xffffffffc0001050, &end_addr), "next");
	assert_int_equal(end_addr, 0xffffffffc0002000);
	assert_string_equal(name_at(&kallsyms, 0xffffffffc0100000, &end_addr), "-");
	assert_string_equal(name_at(&kallsyms, 0xffffffffc0900008, &end_addr), "bpf_prog_0123");
	assert_string_equal(name_at(&kallsyms, UINT64_MAX, &end_addr), "-");
	kallsyms_fini(&kallsyms);
}

/* A data symbol marks the end of the text, and init text follows. */
static void the_last_function_ends_at_etext(void **state)
{
	struct kallsyms kallsyms;
	uint64_t end_addr;

	assert_int_equal(read_text("ffffffff81000000 T _stext\n"
				   "ffffffff81000300 T last_function\n"
				   "ffffffff81000400 D _etext\n"
				   "ffffffff81001000 T _sinittext\n",
				   &kallsyms, NULL),
			 0);
	assert_string_equal(name_at(&kallsyms, 0xffffffff810003ff, &end_addr), "last_function");
	assert_int_equal(end_addr, 0xffffffff81000400);
	assert_string_equal(name_at(&kallsyms, 0xffffffff81000400, &end_addr), "-");
	assert_string_equal(name_at(&kallsyms, 0xffffffff81001000, &end_addr), "_sinittext");
	kallsyms_fini(&kallsyms);
}

static void knows_modules(void **state)
{
	struct kallsyms kallsyms;
	const struct kernel_symbol *symbol;
	uint64_t end_addr;

	assert_int_equal(read_text(kernel, &kallsyms, NULL), 0);
	symbol = kallsyms_lookup(&kallsyms, 0xffffffffc0001044, &end_addr);
	assert_non_null(symbol);
	assert_string_equal(kallsyms_string(&kallsyms, symbol->module), "mod_a");
	symbol = kallsyms_lookup(&kallsyms, 0xffffffffc0900000, &end_addr);
	assert_non_null(symbol);
	assert_string_equal(kallsyms_string(&kallsyms, symbol->module), "bpf");
	symbol = kallsyms_lookup(&kallsyms, 0xffffffff81000200, &end_addr);
	assert_non_null(symbol);
	assert_int_equal(symbol->module, 0);
	kallsyms_fini(&kallsyms);
}

static void hidden_addresses_are_named(void **state)
{
	struct kallsyms kallsyms = { 0 };
	struct err err = { 0 };

	assert_int_equal(read_text("0000000000000000 T _stext\n0000000000000000 t f\n", &kallsyms,
				   &err),
			 -EACCES);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
	assert_null(kallsyms.symbols.at);
}

static void garbage_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"hello\n",
		"ffffffff81000000\n",
		"ffffffff81000000 T\n",
		"ffffffff81000000 T name",		/* truncated */
		"ffffffff81000000 T name\tmodule\n",
		"ffffffff81000000 D only_data\n",
		"T name\n",
		"\n",
	};
	struct kallsyms kallsyms;
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(read_text(bad[i], &kallsyms, &err), -EINVAL);
	assert_int_equal(kallsyms_read("/dev/zero", &kallsyms, &err), -EINVAL);
	assert_int_equal(kallsyms_read("/no/such", &kallsyms, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such"));
}

/* A file of many buffers, with lines that span two buffers. */
static void reads_lines_across_buffers(void **state)
{
	enum { COUNT = 30000, LINE = 64 };
	char *text = malloc((size_t)COUNT * LINE + 1), *at = text;
	struct kallsyms kallsyms;

	assert_non_null(text);
	for (unsigned int i = 0; i < COUNT; i++)
		at += snprintf(at, LINE, "%016x t function_number_%u\n", 0x1000 + 16 * i, i);
	assert_int_equal(read_text(text, &kallsyms, NULL), 0);
	assert_int_equal(kallsyms.symbols.count, COUNT);
	for (unsigned int i = 0; i < COUNT; i++) {
		char name[LINE];
		uint64_t end_addr;

		(void)snprintf(name, sizeof(name), "function_number_%u", i);
		assert_string_equal(name_at(&kallsyms, 0x1000 + 16 * i + 3, &end_addr), name);
		if (i + 1 < COUNT)
			assert_int_equal(end_addr, 0x1000 + 16 * i + 16);
	}
	kallsyms_fini(&kallsyms);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_text_sorted),
		cmocka_unit_test(prefers_the_telling_name),
		cmocka_unit_test(names_end_with_their_text),
		cmocka_unit_test(the_last_function_ends_at_etext),
		cmocka_unit_test(knows_modules),
		cmocka_unit_test(hidden_addresses_are_named),
		cmocka_unit_test(garbage_is_refused),
		cmocka_unit_test(reads_lines_across_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
