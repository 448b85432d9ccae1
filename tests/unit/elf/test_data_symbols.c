/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "elf/data_symbols.h"
#include "support/elf_fixtures.h"

static struct elf_writer writer;
static unsigned int text, data, tls;

static unsigned int add_section(const char *name, uint64_t flags, uint64_t vaddr, size_t size_bytes)
{
	return elf_writer_section(
		&writer,
		&(struct writer_section){
			.name = name, .type = SHT_PROGBITS, .flags = flags, .vaddr = vaddr },
		NULL, size_bytes);
}

static void add(uint32_t table, const char *name, uint64_t vaddr, uint64_t size_bytes,
		unsigned int info, unsigned int section)
{
	(void)elf_writer_symbol(&writer, table,
				&(struct writer_symbol){ name, vaddr, size_bytes, info >> 4,
							 info & 15, section });
}

#define GLOBAL ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)
#define LOCAL ELF64_ST_INFO(STB_LOCAL, STT_OBJECT)

/* .text, .rodata from 0x2000, .data from 0x3000, and .tdata, which overlaps what follows. */
static void begin(const struct elf_writer_options *options)
{
	elf_writer_init(&writer, options);
	text = elf_writer_text(&writer, ".text", 0x1000, 0x100);
	(void)add_section(".rodata", SHF_ALLOC, 0x2000, 0x100);
	data = add_section(".data", SHF_ALLOC | SHF_WRITE, 0x3000, 0x100);
	tls = add_section(".tdata", SHF_ALLOC | SHF_TLS, 0x3100, 0x100);
	(void)add_section(".comment", 0, 0, 0x100);
}

static struct data_symbols finish(void)
{
	struct data_symbols symbols;
	size_t size_bytes;
	uint8_t *bytes = elf_writer_finish(&writer, &size_bytes);

	assert_int_equal(data_symbols_from_bytes(bytes, size_bytes, &symbols), 0);
	free(bytes);	/* no longer needed */
	return symbols;
}

static void assert_name(const struct data_symbols *symbols, uint64_t vaddr, const char *want)
{
	const struct symbol *symbol = data_symbols_lookup(symbols, vaddr);

	if (want)
		assert_string_equal(symbol ? symbol->name : "none", want);
	else
		assert_null(symbol);
}

static void objects_and_sections_have_names(void **state)
{
	static const struct elf_writer_options kinds[] = {
		{ .machine = EM_X86_64 },
		{ .machine = EM_386, .is_elf32 = true },
		{ .machine = EM_S390, .swapped = true },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct data_symbols symbols;

		begin(&kinds[i]);
		add(SHT_SYMTAB, "table", 0x3000, 0x40, GLOBAL, data);
		add(SHT_SYMTAB, "local_alias", 0x3000, 0x40, LOCAL, data);
		add(SHT_SYMTAB, "member", 0x3010, 0x8, LOCAL, data);
		add(SHT_SYMTAB, "sizeless", 0x3060, 0, GLOBAL, data);
		add(SHT_SYMTAB, "elsewhere", 0x3070, 8, GLOBAL, SHN_UNDEF);
		add(SHT_SYMTAB, "function", 0x1000, 8, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text);
		add(SHT_SYMTAB, "thread", 0x3080, 8, ELF64_ST_INFO(STB_GLOBAL, STT_TLS), tls);
		add(SHT_DYNSYM, "exported", 0x3090, 4, GLOBAL, data);
		symbols = finish();
		assert_name(&symbols, 0x3000, "table");
		assert_name(&symbols, 0x300f, "table");
		assert_name(&symbols, 0x3010, "member");
		assert_name(&symbols, 0x3018, "table");
		assert_name(&symbols, 0x303f, "table");
		assert_name(&symbols, 0x3040, ".data");
		assert_name(&symbols, 0x3060, ".data");
		assert_name(&symbols, 0x3070, ".data");
		assert_name(&symbols, 0x3080, ".data");
		assert_name(&symbols, 0x3093, "exported");
		assert_name(&symbols, 0x2000, ".rodata");
		assert_name(&symbols, 0x20ff, ".rodata");
		assert_name(&symbols, 0x2100, NULL);
		assert_name(&symbols, 0x1000, NULL);
		assert_name(&symbols, 0x3100, NULL);
		assert_name(&symbols, 0, NULL);
		assert_name(&symbols, UINT64_MAX, NULL);
		data_symbols_fini(&symbols);
	}
}

static void an_end_behind_all_addresses_is_no_harm(void **state)
{
	struct data_symbols symbols;

	begin(&(struct elf_writer_options){ .machine = EM_X86_64 });
	add(SHT_SYMTAB, "huge", 0x3000, UINT64_MAX, GLOBAL, data);
	symbols = finish();
	assert_name(&symbols, 0x2fff, NULL);
	assert_name(&symbols, 0x3000, "huge");
	assert_name(&symbols, UINT64_MAX, "huge");
	data_symbols_fini(&symbols);
}

static void what_is_no_elf_file_is_refused(void **state)
{
	struct data_symbols symbols;

	assert_int_equal(data_symbols_from_bytes("text", 4, &symbols), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_and_sections_have_names),
		cmocka_unit_test(an_end_behind_all_addresses_is_no_harm),
		cmocka_unit_test(what_is_no_elf_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
