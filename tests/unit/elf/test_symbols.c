/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>

#include "elf/symbols.h"
#include "support/elf_fixtures.h"

/* A library under construction with .text at 0x1000 and .fini at 0x2000. */
struct fixture {
	struct elf_writer writer;
	unsigned int text, fini;
	struct symbol_table table;
};

static struct fixture begin(uint16_t machine)
{
	struct fixture f = { 0 };

	elf_writer_init(&f.writer, &(struct elf_writer_options){ .machine = machine });
	f.text = elf_writer_text(&f.writer, ".text", 0x1000, 0x800);
	f.fini = elf_writer_text(&f.writer, ".fini", 0x2000, 0x100);
	return f;
}

static void put(struct fixture *f, const char *name, uint64_t vaddr, uint64_t size_bytes,
		unsigned int info)
{
	(void)elf_writer_symbol(&f->writer, SHT_SYMTAB,
				&(struct writer_symbol){
					.name = name,
					.vaddr = vaddr,
					.size_bytes = size_bytes,
					.binding = info >> 4,
					.type = info & 15,
					.section = vaddr < 0x2000 ? f->text : f->fini,
				});
}

#define GLOBAL_FUNC ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define WEAK_FUNC ELF64_ST_INFO(STB_WEAK, STT_FUNC)
#define LOCAL_FUNC ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
#define GLOBAL_LABEL ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)

static void finish(struct fixture *f)
{
	size_t size_bytes;
	uint8_t *bytes = elf_writer_finish(&f->writer, &size_bytes);

	assert_int_equal(symbol_table_from_bytes(bytes, size_bytes, &f->table, NULL), 0);
	free(bytes);	/* the table must not need the bytes any more */
}

static struct symbol_answer look_up(const struct fixture *f, uint64_t vaddr)
{
	struct symbol_answer answer;

	symbol_table_lookup(&f->table, vaddr, &answer);
	return answer;
}

static const char *name_at(const struct fixture *f, uint64_t vaddr)
{
	struct symbol_answer answer = look_up(f, vaddr);

	return answer.symbol ? answer.symbol->name : "-";
}

static void a_name_covers_its_size(void **state)
{
	struct fixture f = begin(EM_X86_64);
	struct symbol_answer answer;

	put(&f, "second", 0x1100, 0x40, LOCAL_FUNC);
	put(&f, "first", 0x1000, 0x40, GLOBAL_FUNC);
	put(&f, "in_fini", 0x2010, 0x10, GLOBAL_FUNC);
	finish(&f);
	assert_true(f.table.complete);
	assert_int_equal(f.table.symbols.count, 3);
	assert_string_equal(name_at(&f, 0x1000), "first");
	assert_string_equal(name_at(&f, 0x103f), "first");
	assert_string_equal(name_at(&f, 0x1040), "-");
	answer = look_up(&f, 0x1110);
	assert_int_equal(answer.start_vaddr, 0x1100);
	assert_int_equal(answer.end_vaddr, 0x1140);

	answer = look_up(&f, 0x1080);
	assert_string_equal(answer.before->name, "first");
	assert_string_equal(answer.after->name, "second");
	assert_int_equal(answer.start_vaddr, 0x1040);
	assert_int_equal(answer.end_vaddr, 0x1100);
	answer = look_up(&f, 0x1200);	/* the next name is in another section */
	assert_null(answer.after);
	assert_int_equal(answer.end_vaddr, 0x1800);
	answer = look_up(&f, 0x2000);
	assert_null(answer.before);
	assert_string_equal(answer.after->name, "in_fini");
	answer = look_up(&f, 0x5000);
	assert_null(answer.before);
	assert_int_equal(answer.end_vaddr, 0);
	symbol_table_fini(&f.table);
}

static void the_best_of_equal_names_is_kept(void **state)
{
	struct fixture f = begin(EM_X86_64);

	put(&f, "local", 0x1000, 0x10, LOCAL_FUNC);
	put(&f, "weak", 0x1000, 0x10, WEAK_FUNC);
	put(&f, "global", 0x1000, 0x10, GLOBAL_FUNC);
	put(&f, "a_label", 0x1020, 0x10, GLOBAL_LABEL);
	put(&f, "local_function", 0x1020, 0x10, LOCAL_FUNC);
	put(&f, "__under", 0x1040, 0x10, GLOBAL_FUNC);
	put(&f, "under", 0x1040, 0x10, GLOBAL_FUNC);
	put(&f, "_under", 0x1040, 0x10, GLOBAL_FUNC);
	put(&f, "no_size", 0x1060, 0, GLOBAL_FUNC);
	put(&f, "with_size", 0x1060, 0x10, LOCAL_FUNC);
	finish(&f);
	assert_int_equal(f.table.symbols.count, 4);
	assert_string_equal(name_at(&f, 0x1000), "global");
	assert_string_equal(name_at(&f, 0x1020), "local_function");
	assert_string_equal(name_at(&f, 0x1040), "under");
	assert_string_equal(name_at(&f, 0x1060), "with_size");
	symbol_table_fini(&f.table);
}

/* Very long names are cut, so that two can become equal. The first such name is kept. */
static void of_long_names_the_beginning_counts(void **state)
{
	struct fixture f = begin(EM_X86_64);
	char first[600], second[600];

	memset(first, 'x', sizeof(first));
	memcpy(second, first, sizeof(second));
	(void)snprintf(first + 500, 100, "_second_by_alphabet");
	(void)snprintf(second + 500, 100, "_first_by_alphabet");
	put(&f, first, 0x1000, 0x10, GLOBAL_FUNC);
	put(&f, second, 0x1000, 0x10, GLOBAL_FUNC);
	memset(first + 100, '_', 500);
	memset(first, '_', 500);
	memcpy(second, first, sizeof(second));
	(void)snprintf(first + 500, 100, "_more_underscores");
	(void)snprintf(second + 500, 100, "less");
	put(&f, first, 0x1020, 0x10, GLOBAL_FUNC);
	put(&f, second, 0x1020, 0x10, GLOBAL_FUNC);
	finish(&f);
	assert_non_null(strstr(name_at(&f, 0x1000), "_second_by_alphabet"));
	assert_non_null(strstr(name_at(&f, 0x1020), "_more_underscores"));
	symbol_table_fini(&f.table);
}

static void only_code_has_names(void **state)
{
	struct fixture f = begin(EM_AARCH64);

	put(&f, "function", 0x1000, 0x100, GLOBAL_FUNC);
	put(&f, "inside", 0x1040, 0, GLOBAL_LABEL);	/* inside the function */
	put(&f, "entry", 0x1200, 0, GLOBAL_LABEL);
	put(&f, "$x", 0x1300, 0, GLOBAL_LABEL);
	put(&f, "$d.1", 0x1304, 0, GLOBAL_LABEL);
	put(&f, ".Lloop", 0x1308, 0, GLOBAL_LABEL);
	put(&f, ".Lcode", 0x130c, 4, LOCAL_FUNC);
	put(&f, "etext", 0x1800, 0, GLOBAL_LABEL);	/* after the end of its section */
	put(&f, "variable", 0x1400, 8, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT));
	put(&f, "", 0x1500, 8, GLOBAL_FUNC);
	put(&f, "nowhere", 0, 8, GLOBAL_FUNC);
	(void)elf_writer_symbol(&f.writer, SHT_SYMTAB,
				&(struct writer_symbol){ "undefined", 0x1600, 8, STB_GLOBAL,
							 STT_FUNC, SHN_UNDEF });
	finish(&f);
	assert_int_equal(f.table.symbols.count, 2);
	assert_string_equal(name_at(&f, 0x1040), "function");
	assert_string_equal(name_at(&f, 0x1200), "entry");
	symbol_table_fini(&f.table);
}

static void a_name_without_size_ends_with_its_section(void **state)
{
	struct fixture f = begin(EM_X86_64);
	struct symbol_answer answer;

	put(&f, "first", 0x1000, 0, GLOBAL_FUNC);
	put(&f, "second", 0x1100, 0, GLOBAL_LABEL);
	finish(&f);
	answer = look_up(&f, 0x10ff);
	assert_string_equal(answer.symbol->name, "first");
	assert_int_equal(answer.end_vaddr, 0x1100);
	answer = look_up(&f, 0x17ff);
	assert_string_equal(answer.symbol->name, "second");
	assert_int_equal(answer.end_vaddr, 0x1800);
	assert_string_equal(name_at(&f, 0x1900), "-");
	assert_string_equal(name_at(&f, 0x2000), "-");
	symbol_table_fini(&f.table);
}

static void nested_functions_give_way_to_the_outer(void **state)
{
	struct fixture f = begin(EM_X86_64);

	put(&f, "outer", 0x1000, 0x100, GLOBAL_FUNC);
	put(&f, "middle", 0x1010, 0x40, LOCAL_FUNC);
	put(&f, "inner", 0x1020, 0x8, LOCAL_FUNC);
	put(&f, "overlapping", 0x1030, 0x30, LOCAL_FUNC);
	put(&f, "huge", 0x1200, UINT64_MAX, LOCAL_FUNC);
	finish(&f);
	assert_string_equal(name_at(&f, 0x1024), "inner");
	assert_string_equal(name_at(&f, 0x1028), "middle");
	assert_string_equal(name_at(&f, 0x1058), "overlapping");
	assert_string_equal(name_at(&f, 0x1060), "outer");
	assert_string_equal(name_at(&f, 0x10ff), "outer");
	assert_string_equal(name_at(&f, 0x1100), "-");
	assert_string_equal(name_at(&f, 0x1210), "huge");
	symbol_table_fini(&f.table);
}

static void siblings_are_no_nesting(void **state)
{
	struct fixture f = begin(EM_X86_64);

	put(&f, "outer", 0x1000, 0x700, GLOBAL_FUNC);
	for (uint64_t i = 0; i < 600; i++)
		put(&f, "inner", 0x1001 + 2 * i, 1, LOCAL_FUNC);
	finish(&f);
	assert_string_equal(name_at(&f, 0x1003), "inner");
	assert_string_equal(name_at(&f, 0x1004), "outer");
	assert_string_equal(name_at(&f, 0x1600), "outer");
	symbol_table_fini(&f.table);
}

/* Checks the symbols of every kind that elf_fixture_full() contains. */
static void check_stripped(const struct elf_writer_options *options, bool has_plt)
{
	size_t size_bytes;
	uint8_t *bytes = elf_fixture_full(options, &size_bytes);
	struct fixture f = { 0 };
	struct symbol_answer answer;

	assert_int_equal(symbol_table_from_bytes(bytes, size_bytes, &f.table, NULL), 0);
	free(bytes);
	assert_false(f.table.complete);
	assert_int_equal(f.table.ranges.count, 3);
	answer = look_up(&f, 0x1000);
	assert_string_equal(answer.symbol->name, "first");
	assert_int_equal(answer.symbol->source, SYMBOL_DYNSYM);
	assert_string_equal(name_at(&f, 0x1180), "last");
	answer = look_up(&f, 0x1090);
	assert_string_equal(answer.symbol->name, "hidden");	/* from .gnu_debugdata */
	assert_int_equal(answer.symbol->source, SYMBOL_SYMTAB);
	answer = look_up(&f, 0x1104);
	assert_null(answer.symbol);
	assert_true(answer.bounds_from_fde);
	assert_int_equal(answer.start_vaddr, 0x1100);
	assert_int_equal(answer.end_vaddr, 0x1160);
	answer = look_up(&f, 0x1050);
	assert_false(answer.bounds_from_fde);
	assert_string_equal(name_at(&f, 0x2010), has_plt ? "puts" : "-");
	assert_string_equal(name_at(&f, 0x200f), "-");
	assert_string_equal(name_at(&f, 0x2020), "-");
	if (has_plt)
		assert_int_equal(look_up(&f, 0x2010).symbol->source, SYMBOL_PLT);
	symbol_table_fini(&f.table);
}

static void stripped_files_give_what_they_have(void **state)
{
	check_stripped(&(struct elf_writer_options){ .machine = EM_X86_64 }, true);
	check_stripped(&(struct elf_writer_options){ .machine = EM_AARCH64 }, true);
	check_stripped(&(struct elf_writer_options){ .machine = EM_386, .is_elf32 = true }, false);
	check_stripped(&(struct elf_writer_options){ .machine = EM_S390, .swapped = true }, false);
	check_stripped(&(struct elf_writer_options){ .machine = EM_PPC,
						     .is_elf32 = true,
						     .swapped = true },
		       false);
}

/*
 * Any number of stubs can share a slot whose name is as long as the file. So the name must not be
 * copied for each.
 */
static void stubs_do_not_copy_their_names(void **state)
{
	struct fixture f = begin(EM_X86_64);
	struct writer_section plt = {
		.name = ".plt.sec",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR,
		.vaddr = 0x3000,
		.entry_size_bytes = 16,
	};

	elf_writer_relocation(&f.writer, 0x4018, R_X86_64_JUMP_SLOT,
			      elf_writer_symbol(&f.writer, SHT_DYNSYM,
						&(struct writer_symbol){ "puts", 0, 0, STB_GLOBAL,
									 STT_FUNC, SHN_UNDEF }));
	elf_fixture_stub_x86_64(&plt.content, 0x3000, 0x4018);
	elf_fixture_stub_x86_64(&plt.content, 0x3010, 0x4018);
	(void)elf_writer_section(&f.writer, &plt, NULL, 0);
	finish(&f);
	assert_string_equal(name_at(&f, 0x3000), "puts");
	assert_ptr_equal(name_at(&f, 0x3000), name_at(&f, 0x3010));
	symbol_table_fini(&f.table);
}

/* Writes a CIE whose augmentation string fills its record. Returns the offset of the CIE. */
static size_t put_long_cie(const struct elf_writer *writer, struct writer_bytes *bytes,
			   size_t string_bytes)
{
	size_t at = bytes->data.count;
	char *string = malloc(string_bytes + 1);

	memset(string, 'z', string_bytes);
	string[string_bytes] = '\0';
	elf_writer_put(writer, bytes, 4 + 1 + string_bytes + 1, 4);
	elf_writer_put(writer, bytes, 0, 4);
	elf_writer_put(writer, bytes, 1, 1);
	elf_writer_put_bytes(bytes, string, string_bytes + 1);
	free(string);
	return at;
}

/* FDEs that alternate between two CIEs make the reader parse each CIE again and again. */
static void long_augmentations_are_not_read(void **state)
{
	struct fixture f = begin(EM_X86_64);
	struct writer_section section = {
		.name = ".eh_frame",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC,
		.vaddr = 0x4000,
	};
	struct writer_bytes *bytes = &section.content;
	size_t cies[2];

	for (size_t i = 0; i < 2; i++)
		cies[i] = put_long_cie(&f.writer, bytes, 16 << 20);
	for (size_t i = 0; i < 1000000; i++) {
		elf_writer_put(&f.writer, bytes, 12, 4);
		elf_writer_put(&f.writer, bytes, bytes->data.count - cies[i % 2], 4);
		elf_writer_put(&f.writer, bytes, 0x1000, 4);
		elf_writer_put(&f.writer, bytes, 0x10, 4);
	}
	(void)elf_writer_section(&f.writer, &section, NULL, 0);
	finish(&f);
	assert_int_equal(f.table.ranges.count, 0);
	symbol_table_fini(&f.table);
}

/* A dynamic symbol without a size must not include the unnamed functions after it. */
static void a_name_without_size_ends_at_the_next_fde(void **state)
{
	struct fixture f = begin(EM_X86_64);

	(void)elf_writer_symbol(&f.writer, SHT_DYNSYM,
				&(struct writer_symbol){ "start", 0x1000, 0, STB_GLOBAL, STT_FUNC,
							 f.text });
	elf_writer_fde(&f.writer, 0x4000, 0x1000, 0x20);
	elf_writer_fde(&f.writer, 0x4000, 0x1020, 0x20);
	elf_writer_fde(&f.writer, 0x4000, 0x9000, 0x20);	/* outside of any code */
	finish(&f);
	assert_int_equal(f.table.ranges.count, 2);
	assert_string_equal(name_at(&f, 0x101f), "start");
	assert_string_equal(name_at(&f, 0x1020), "-");
	symbol_table_fini(&f.table);
}

/* A partial strip leaves a .symtab that does not name the whole file. */
static void a_few_symbols_are_no_complete_table(void **state)
{
	struct fixture f = begin(EM_X86_64);

	put(&f, "kept", 0x1000, 0x10, GLOBAL_FUNC);
	for (uint64_t i = 0; i < 2; i++)
		(void)elf_writer_symbol(&f.writer, SHT_DYNSYM,
					&(struct writer_symbol){ i ? "b" : "a", 0x1100 + 0x10 * i,
								 8, STB_GLOBAL, STT_FUNC, f.text });
	elf_writer_fde(&f.writer, 0x4000, 0x1200, 0x20);
	finish(&f);
	assert_false(f.table.complete);
	assert_int_equal(f.table.symbols.count, 3);
	assert_int_equal(f.table.ranges.count, 1);
	symbol_table_fini(&f.table);
}

static void files_without_sections_have_code_but_no_names(void **state)
{
	struct elf_writer_options options = { .machine = EM_X86_64, .no_sections = true };
	size_t size_bytes;
	uint8_t *bytes = elf_fixture_full(&options, &size_bytes);
	struct symbol_table table;

	assert_int_equal(symbol_table_from_bytes(bytes, size_bytes, &table, NULL), 0);
	assert_int_equal(table.symbols.count, 0);
	assert_int_equal(table.sections.count, 2);
	assert_int_equal(table.sections.at[0].start_vaddr, 0x1000);
	symbol_table_fini(&table);
	free(bytes);
}

static void damage_is_an_error_or_less_names(void **state)
{
	size_t size_bytes;
	uint8_t *bytes = elf_fixture_full(&(struct elf_writer_options){ 0 }, &size_bytes);
	struct err err = { 0 };

	for (size_t size = 0; size < size_bytes; size++) {
		struct symbol_table table;

		/* The section headers are at the end of the file. */
		assert_int_equal(symbol_table_from_bytes(bytes, size, &table, &err), -ENOEXEC);
		assert_true(err.text[0]);
	}
	for (size_t i = 64; i < size_bytes; i++) {
		struct symbol_table table;

		bytes[i] ^= 0xff;
		if (symbol_table_from_bytes(bytes, size_bytes, &table, NULL) == 0)
			symbol_table_fini(&table);
		bytes[i] ^= 0xff;
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_covers_its_size),
		cmocka_unit_test(the_best_of_equal_names_is_kept),
		cmocka_unit_test(of_long_names_the_beginning_counts),
		cmocka_unit_test(only_code_has_names),
		cmocka_unit_test(a_name_without_size_ends_with_its_section),
		cmocka_unit_test(nested_functions_give_way_to_the_outer),
		cmocka_unit_test(siblings_are_no_nesting),
		cmocka_unit_test(stripped_files_give_what_they_have),
		cmocka_unit_test(stubs_do_not_copy_their_names),
		cmocka_unit_test(long_augmentations_are_not_read),
		cmocka_unit_test(a_name_without_size_ends_at_the_next_fde),
		cmocka_unit_test(a_few_symbols_are_no_complete_table),
		cmocka_unit_test(files_without_sections_have_code_but_no_names),
		cmocka_unit_test(damage_is_an_error_or_less_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
