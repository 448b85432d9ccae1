/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_sources.h - the sources that a symbol table is built from
 *
 * Private to src/elf and src/dwarf. A source is a part of a file that names functions, such as
 * .symtab. Each source has a function that appends its symbols to the table. symbols.c calls these
 * functions. Then symbol_merge.c sorts the symbols and drops duplicates. The function of a source
 * returns
 * - 0, also if the file has no symbols of that kind
 * - -ENOEXEC if the file's tables are damaged; the symbols appended before that stay and are valid
 * - -ENOMEM, -EFBIG or an error of read(2)
 *
 * Names are never copied. They point into string tables, which the symbol table owns until it is
 * freed.
 */
#ifndef ASSAY_ELF_SYMBOL_SOURCES_H
#define ASSAY_ELF_SYMBOL_SOURCES_H

#include "elf/debug_source.h"
#include "elf/elf_format.h"
#include "elf/image_file.h"
#include "elf/symbols.h"

/*
 * Limit on the size of one symbol table or string table. It applies even if the file itself is
 * larger.
 */
#define TABLE_MAX_BYTES (UINT64_C(256) << 20)

/*
 * The rank of a symbol is the sum of these values, plus one for each leading underscore of the name
 * (added by symbol_table_add()). If several symbols have the same address, the one with the lowest
 * rank is the best.
 */
#define RANK_NOTYPE 4096u	/* a label, which is a symbol not marked as a function */
#define RANK_NO_SIZE 2048u
#define RANK_WEAK 256u
#define RANK_LOCAL 512u
#define RANK_UNDERSCORES_MAX 255u

/* Private data that a finished symbol table keeps. */
struct symbol_storage {
	VEC(void *) blocks;	/* owned memory blocks that hold the names */
	/* for each symbol: index of the nearest symbol before it that ends after it */
	VEC(uint32_t) outer;
};

#define SYMBOL_NO_OUTER UINT32_MAX

/*
 * Makes @table the owner of @block (from malloc). On failure @block is freed. Returns 0 or -ENOMEM.
 */
int symbol_table_own(struct symbol_table *table, void *block);
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/*
 * Sorts symbols and ranges, keeps the best name of each address or all, and drops labels inside
 * functions.
 */
int symbol_table_finish(struct symbol_table *table, bool all_names);

/* Returns the end address of the symbol (one past its last byte), according to its own size. */
static inline uint64_t symbol_sized_end(const struct symbol *symbol)
{
	return symbol->size_bytes > UINT64_MAX - symbol->vaddr ? UINT64_MAX
							       : symbol->vaddr + symbol->size_bytes;
}

/* Returns the range that contains @vaddr, or NULL. The @count ranges must be sorted by start. */
const struct code_range *code_range_find(const struct code_range *ranges, size_t count,
					 uint64_t vaddr);

/* A .symtab or .dynsym in memory. */
struct symtab {
	uint8_t *bytes;			/* owned */
	size_t count, size_bytes;
	const char *strings;		/* owned by the symbol table */
	uint64_t strings_size_bytes;
	bool is_elf64, swapped;
};

/*
 * Loads the first section of type @type (SHT_SYMTAB or SHT_DYNSYM) and its strings. If there is no
 * such section, sets the count to 0 and returns 0.
 */
int symtab_load(const struct elf_source *source, const struct elf_sections *sections, uint32_t type,
		struct symbol_table *table, struct symtab *ret_symtab);
void symtab_fini(struct symtab *symtab);

/* Returns the name of symbol @index, or "". */
const char *symtab_name(const struct symtab *symtab, uint64_t index);

/*
 * Appends the functions of @symtab to the table. *@ret_count is the number of functions appended.
 */
int symtab_functions(const struct symtab *symtab, const struct elf_sections *sections,
		     enum symbol_source as, struct symbol_table *table, size_t *ret_count);

/*
 * Appends the PLT entries of x86_64 and aarch64. An entry gets the name of the function to which it
 * jumps, such as "puts". The relocation of the entry's GOT slot gives that name.
 */
int plt_functions(const struct elf_source *source, const struct elf_sections *sections,
		  const struct symtab *dynsym, struct symbol_table *table);

/*
 * Appends the bounds of functions that frame records describe. Drops bounds outside the table's
 * sections.
 */
int eh_frame_ranges(const struct image_file *file, const struct elf_source *source,
		    const struct elf_sections *sections, struct symbol_table *table);

/*
 * Appends the functions of a Go program from Go's own table. They count as functions of .symtab,
 * because the table has all functions of the program's Go code.
 */
int go_symbols(const struct image_file *file, const struct elf_source *source,
	       const struct elf_sections *sections, struct symbol_table *table);

/*
 * Opens the separate debug file of @file and checks that the debug file belongs to @file. Returns
 * -ENOENT if there is no debug file, the error of the debug source in @places, or -EBADMSG if the
 * debug source returned a file with a different build-id.
 */
int debug_file_open(const struct image_file *file, const struct elf_source *source,
		    const struct elf_sections *sections, const struct debug_places *places,
		    struct image_file *ret_file);

/* Like debug_file_open(), but finds the debug file by build-id only. */
int debug_file_of_id(const uint8_t *build_id, size_t size, const struct debug_places *places,
		     struct image_file *ret_file);

/*
 * Decompresses the section .gnu_debugdata, whose content is itself an ELF file. Returns -ENOENT if
 * the section is missing.
 */
int minidebug_load(const struct elf_source *source, const struct elf_sections *sections,
		   uint8_t **ret_bytes, size_t *ret_size_bytes);

#endif
