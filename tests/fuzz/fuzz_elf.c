/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All parts of an ELF file that are read: header, notes, tables, PLT, .eh_frame; and the lookups.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/data_symbols.h"
#include "elf/usdt_notes.h"
#include "fuzz.h"
#include "support/elf_fixtures.h"
#include "support/go_writer.h"

static void look_up(const struct symbol_table *table)
{
	struct symbol_answer answer;

	for (size_t i = 0; i < table->symbols.count && i < 64; i++) {
		uint64_t vaddr = table->symbols.at[i].vaddr;

		symbol_table_lookup(table, vaddr - 1, &answer);
		symbol_table_lookup(table, vaddr, &answer);
		symbol_table_lookup(table, vaddr + table->symbols.at[i].size_bytes, &answer);
	}
	for (size_t i = 0; i < table->ranges.count && i < 64; i++)
		symbol_table_lookup(table, table->ranges.at[i].end_vaddr, &answer);
	for (uint64_t vaddr = 0x0f00; vaddr < 0x3000; vaddr += 0x41)
		symbol_table_lookup(table, vaddr, &answer);
	symbol_table_lookup(table, UINT64_MAX, &answer);
}

static void look_up_data(const struct data_symbols *data)
{
	for (size_t i = 0; i < data->objects.symbols.count && i < 64; i++) {
		const struct symbol *symbol = &data->objects.symbols.at[i];
		const struct symbol *found = data_symbols_lookup(data, symbol->vaddr);

		if (!found || strlen(found->name) == 0)
			abort();
	}
	for (uint64_t vaddr = 0x0f00; vaddr < 0x4000; vaddr += 0x41)
		(void)data_symbols_lookup(data, vaddr);
	(void)data_symbols_lookup(data, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct symbol_table table;
	struct data_symbols data;
	struct usdt_probes probes;
	struct image_file file;
	uint64_t vaddr;

	if (image_file_from_bytes(bytes, size_bytes, "fuzz", &file, NULL) == 0) {
		for (uint64_t offset = 0; offset < 0x4000; offset += 0x101)
			(void)image_file_vaddr(&file, offset, &vaddr);
		image_file_fini(&file);
	}
	if (symbol_table_from_bytes(bytes, size_bytes, &table, NULL) == 0) {
		look_up(&table);
		symbol_table_fini(&table);
	}
	if (data_symbols_from_bytes(bytes, size_bytes, &data) == 0) {
		look_up_data(&data);
		data_symbols_fini(&data);
	}
	if (usdt_probes_from_bytes(bytes, size_bytes, &probes) == 0) {
		for (size_t i = 0; i < probes.list.count; i++)
			if (strlen(probes.list.at[i].arguments) >= size_bytes)
				abort();
		usdt_probes_fini(&probes);
	}
	return 0;
}

static void put_probes(uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const struct fixture_probe probes[] = {
		{ 0x1000, 0, 0, "provider", "name", "8@%rax" },
		{ 0x1001, 0, 0x1100, "provider", "name", "8@%rax" },
		{ 0x1002, 0, 0x2200, "provider", "name", "8@%rax" },
	};
	struct elf_writer w;

	elf_writer_init(&w, &(struct elf_writer_options){ .machine = EM_X86_64 });
	(void)elf_writer_text(&w, ".text", 0x1000, 0x200);
	elf_fixture_probes(&w, probes, sizeof(probes) / sizeof(*probes));
	*ret_bytes = elf_writer_finish(&w, ret_size_bytes);
}

static void put_go_program(uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	struct go_writer go = { .format = GO_1_18, .text_vaddr = 0x1000 };

	go_writer_function(&go, "main.f", 0x1000, FRAME_BYTES(2, 64), 0);
	go_writer_function(&go, "main.g", 0x1040, FRAME_BYTES(2, 64), 0);
	go_writer_end(&go, 0x1080);
	*ret_bytes = go_writer_image(&go, NULL, ret_size_bytes);
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const struct elf_writer_options kinds[] = {
		{ .machine = EM_X86_64 },
		{ .machine = EM_AARCH64 },
		{ .machine = EM_386, .is_elf32 = true },
		{ .machine = EM_S390, .swapped = true },
		{ .machine = EM_PPC, .is_elf32 = true, .swapped = true },
		{ .machine = EM_X86_64, .no_sections = true },
	};

	if (i > sizeof(kinds) / sizeof(*kinds) + 1)
		return -1;
	if (i == sizeof(kinds) / sizeof(*kinds) + 1) {
		put_probes(ret_bytes, ret_size_bytes);
		return 0;
	}
	if (i == sizeof(kinds) / sizeof(*kinds)) {
		put_go_program(ret_bytes, ret_size_bytes);
		return 0;
	}
	*ret_bytes = elf_fixture_full(&kinds[i], ret_size_bytes);
	return 0;
}
