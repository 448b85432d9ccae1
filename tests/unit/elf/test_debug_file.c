/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Separate debug files, found by build-id and by link, and symbol tables that are not read. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "elf/symbols.h"
#include "support/elf_fixtures.h"
#include "support/temp.h"

#define ID "\x01\x23\x45\x67\x89\xab\xcd\xef"
#define OTHER_ID "\x01\x23\x45\x67\x89\xab\xcd\xee"
#define ID_PATH "debug/.build-id/01/23456789abcdef.debug"

static const struct elf_writer_options x86_64 = { .machine = EM_X86_64 };

/* Makes an ELF header and a symbol table that has "from_debug_file" at 0x1040. */
static uint8_t *debug_file(const char *id, size_t *ret_size_bytes)
{
	struct elf_writer w;
	unsigned int text;

	elf_writer_init(&w, &x86_64);
	elf_writer_build_id(&w, id, 8);
	text = elf_writer_text(&w, ".text", 0x1000, 0x200);
	(void)elf_writer_symbol(&w, SHT_SYMTAB,
				&(struct writer_symbol){ "from_debug_file", 0x1040, 0x20, STB_LOCAL,
							 STT_FUNC, text });
	(void)elf_writer_symbol(&w, SHT_SYMTAB,
				&(struct writer_symbol){ "another", 0x1060, 0x20, STB_LOCAL,
							 STT_FUNC, text });
	return elf_writer_finish(&w, ret_size_bytes);
}

/*
 * Makes a stripped file that has a link to "x.debug" with @crc, and a build-id unless @id is NULL.
 */
static const char *stripped_file(struct temp_dir *dir, const char *id, uint32_t crc)
{
	struct writer_section link = { .name = ".gnu_debuglink", .type = SHT_PROGBITS };
	struct elf_writer w;
	size_t size_bytes;
	const char *path;
	uint8_t *bytes;

	elf_writer_init(&w, &x86_64);
	if (id)
		elf_writer_build_id(&w, id, 8);
	(void)elf_writer_text(&w, ".text", 0x1000, 0x200);
	elf_writer_put_bytes(&link.content, "x.debug", 8);
	elf_writer_put(&w, &link.content, crc, 4);
	(void)elf_writer_section(&w, &link, NULL, 0);
	bytes = elf_writer_finish(&w, &size_bytes);
	path = temp_file(dir, "lib/x.so", bytes, size_bytes);
	free(bytes);
	return path;
}

/*
 * Returns whether the debug file is found. Debug files are looked for only below "debug" in @dir.
 */
static bool is_named(const struct temp_dir *dir, const char *path, bool no_debug_files)
{
	char debug_dir[128];
	const char *dirs[] = { debug_dir, NULL };
	struct symbols_options options = { .places.dirs = dirs, .no_debug_files = no_debug_files };
	struct symbol_answer answer;
	struct symbol_table table;
	struct image_file file;
	bool named;

	(void)snprintf(debug_dir, sizeof(debug_dir), "%s/debug", dir->path);
	assert_int_equal(image_file_open(AT_FDCWD, path, &file, NULL), 0);
	assert_int_equal(symbol_table_read(&file, &options, &table, NULL), 0);
	symbol_table_lookup(&table, 0x1050, &answer);
	named = answer.symbol != NULL;
	assert_int_equal(table.complete, named);
	if (named)
		assert_string_equal(answer.symbol->name, "from_debug_file");
	symbol_table_fini(&table);
	image_file_fini(&file);
	return named;
}

static void by_build_id(void **state)
{
	struct temp_dir dir = temp_dir_make();
	const char *path = stripped_file(&dir, ID, 0);
	size_t size_bytes;
	uint8_t *bytes = debug_file(ID, &size_bytes);

	assert_false(is_named(&dir, path, false));
	(void)temp_file(&dir, ID_PATH, bytes, size_bytes);
	free(bytes);
	assert_true(is_named(&dir, path, false));
	assert_false(is_named(&dir, path, true));
	bytes = debug_file(OTHER_ID, &size_bytes);
	(void)temp_file(&dir, ID_PATH, bytes, size_bytes);
	assert_false(is_named(&dir, path, false));
	(void)temp_file(&dir, ID_PATH, bytes, 100);
	assert_false(is_named(&dir, path, false));
	free(bytes);
	temp_dir_remove(&dir);
}

static void check_link(const char *place, bool below_debug_dir)
{
	struct temp_dir dir = temp_dir_make();
	size_t size_bytes;
	uint8_t *bytes = debug_file(ID, &size_bytes);
	uint32_t crc = (uint32_t)crc32(0, bytes, (uInt)size_bytes);
	const char *path = stripped_file(&dir, NULL, crc);
	char elsewhere[256];

	assert_false(is_named(&dir, path, false));
	(void)snprintf(elsewhere, sizeof(elsewhere), "%s%s/%s", below_debug_dir ? "debug" : "",
		       below_debug_dir ? dir.path : "", place);
	(void)temp_file(&dir, elsewhere, bytes, size_bytes);
	assert_true(is_named(&dir, path, false));
	bytes[size_bytes - 1] ^= 1;	/* differs from the file that was linked */
	(void)temp_file(&dir, elsewhere, bytes, size_bytes);
	assert_false(is_named(&dir, path, false));
	free(bytes);
	temp_dir_remove(&dir);
}

static void by_link(void **state)
{
	check_link("lib/x.debug", false);
	check_link("lib/.debug/x.debug", false);
	check_link("lib/x.debug", true);
}

#define MIB (UINT64_C(1) << 20)

/* Returns the CRC of the bytes that @crc covers followed by 2 to the power of @count_log2 zeros. */
static uint32_t crc_with_zeros(uint32_t crc, unsigned int count_log2)
{
	uLong zeros = crc32(0, (const uint8_t *)"", 1);

	for (unsigned int i = 0; i < count_log2; i++)
		zeros = crc32_combine(zeros, zeros, (z_off_t)1 << i);
	return (uint32_t)crc32_combine(crc, zeros, (z_off_t)1 << count_log2);
}

/* A sparse file can be huge without using disk space. Checking one must not take long. */
static void huge_candidates_are_not_summed_up(void **state)
{
	struct temp_dir dir = temp_dir_make();
	size_t size_bytes;
	uint8_t *bytes = debug_file(ID, &size_bytes);
	uint32_t crc = (uint32_t)crc32(0, bytes, (uInt)size_bytes);
	const char *path = stripped_file(&dir, NULL, crc_with_zeros(crc, 28));
	const char *debug = temp_file(&dir, "lib/.debug/x.debug", bytes, size_bytes);

	assert_int_equal(truncate(debug, (off_t)(256 * MIB + size_bytes)), 0);
	assert_true(is_named(&dir, path, false));
	debug = temp_file(&dir, "lib/x.debug", bytes, size_bytes);
	assert_int_equal(truncate(debug, (off_t)(300 * MIB)), 0);
	assert_false(is_named(&dir, path, false));	/* the two files together are too large */
	free(bytes);
	temp_dir_remove(&dir);
}

/* Changes the first section header of type @type. */
static void change_section(uint8_t *bytes, uint32_t type, uint64_t flags, uint64_t size_bytes)
{
	Elf64_Ehdr header;
	Elf64_Shdr section;

	memcpy(&header, bytes, sizeof(header));
	for (uint8_t *at = bytes + header.e_shoff;; at += sizeof(section)) {
		memcpy(&section, at, sizeof(section));
		if (section.sh_type != type)
			continue;
		section.sh_flags |= flags;
		section.sh_size = size_bytes ? size_bytes : section.sh_size;
		memcpy(at, &section, sizeof(section));
		return;
	}
}

/* Returns how many symbols are read from a file of @file_bytes with such a .symtab. */
static size_t count_symbols(uint64_t flags, uint64_t table_bytes, uint64_t file_bytes)
{
	struct temp_dir dir = temp_dir_make();
	size_t size_bytes, count;
	uint8_t *bytes = debug_file(ID, &size_bytes);
	struct symbol_table table;
	struct image_file file;
	const char *path;

	change_section(bytes, SHT_SYMTAB, flags, table_bytes);
	path = temp_file(&dir, "image", bytes, size_bytes);
	assert_int_equal(truncate(path, (off_t)(size_bytes + file_bytes)), 0);
	assert_int_equal(image_file_open(AT_FDCWD, path, &file, NULL), 0);
	assert_int_equal(symbol_table_read(&file, NULL, &table, NULL), 0);
	count = table.symbols.count;
	symbol_table_fini(&table);
	image_file_fini(&file);
	free(bytes);
	temp_dir_remove(&dir);
	return count;
}

static void tables_have_a_limit(void **state)
{
	assert_true(count_symbols(0, 0, 0) == 2);
	assert_true(count_symbols(0, 4 * MIB, 4 * MIB) >= 2);
	assert_int_equal(count_symbols(0, 256 * MIB + 24, 257 * MIB), 0);
}

/* No toolchain compresses symbol tables. A small file that does so would expand to a large one. */
static void compressed_tables_are_refused(void **state)
{
	static const uint32_t algorithms[] = { 0, 1, 2 };
	uint8_t symbol[24] = { 1, 0, 0, 0, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1 };
	uint8_t packed[256];

	symbol[8] = 0x40;
	symbol[9] = 0x10;
	symbol[16] = 0x20;
	for (size_t i = 0; i < 3; i++) {
		struct writer_section table = { .name = ".symtab",
						.type = SHT_SYMTAB,
						.link = 3,
						.flags = algorithms[i] ? SHF_COMPRESSED : 0,
						.entry_size_bytes = 24 };
		struct writer_section strings = { .name = ".strtab", .type = SHT_STRTAB };
		uLongf packed_bytes = sizeof(packed);
		struct symbol_table names;
		struct elf_writer w;
		size_t size_bytes;
		uint8_t *bytes;

		elf_writer_init(&w, &x86_64);
		(void)elf_writer_text(&w, ".text", 0x1000, 0x200);
		if (algorithms[i] == 1)
			assert_int_equal(compress(packed, &packed_bytes, symbol, 24), Z_OK);
		else if (algorithms[i] == 2)
			packed_bytes = ZSTD_compress(packed, sizeof(packed), symbol, 24, 3);
		if (algorithms[i]) {
			elf_writer_put(&w, &table.content, algorithms[i], 8);
			elf_writer_put(&w, &table.content, 24, 8);
			elf_writer_put(&w, &table.content, 8, 8);
			elf_writer_put_bytes(&table.content, packed, packed_bytes);
		} else {
			elf_writer_put_bytes(&table.content, symbol, 24);
		}
		(void)elf_writer_section(&w, &table, NULL, 0);
		(void)elf_writer_section(&w, &strings, "\0packed", 8);
		bytes = elf_writer_finish(&w, &size_bytes);
		assert_int_equal(symbol_table_from_bytes(bytes, size_bytes, &names, NULL), 0);
		assert_int_equal(names.symbols.count, algorithms[i] ? 0 : 1);
		symbol_table_fini(&names);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_build_id),
		cmocka_unit_test(by_link),
		cmocka_unit_test(huge_candidates_are_not_summed_up),
		cmocka_unit_test(tables_have_a_limit),
		cmocka_unit_test(compressed_tables_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
