/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_sources.h - the places that a symbol table is made from
 *
 * Private to this room: symbols.c asks each source in the order of trust that symbols.h
 * states, and symbol_merge.c sorts what they appended.  A source only appends; it
 * returns 0 also when the file has nothing for it, -ENOEXEC when its tables are damaged (what
 * it appended before that stays and is right), -ENOMEM, -EFBIG or an error of read(2).
 *
 * Names are never copied: they point into string tables that the table owns and that live
 * as long as it does.
 */
#ifndef ASSAY_ELF_SYMBOL_SOURCES_H
#define ASSAY_ELF_SYMBOL_SOURCES_H

#include "elf/debug_source.h"
#include "elf/elf_format.h"
#include "elf/image_file.h"
#include "elf/symbols.h"

/* No symbol or string table may be larger, whatever the size of its file. */
#define TABLE_MAX_BYTES (UINT64_C(256) << 20)

/*
 * What struct symbol's rank is made of; the sum orders the names of one address, low is good.
 * symbol_table_add() adds one for each underscore that the name begins with.
 */
#define RANK_NOTYPE 4096u	/* a label: nothing says that it is a function */
#define RANK_NO_SIZE 2048u
#define RANK_WEAK 256u
#define RANK_LOCAL 512u
#define RANK_UNDERSCORES_MAX 255u

/* What a finished table keeps for itself. */
struct symbol_storage {
	VEC(void *) blocks;	/* owned memory that names point into */
	VEC(uint32_t) outer;	/* per symbol: the nearest one before it that reaches further */
};

#define SYMBOL_NO_OUTER UINT32_MAX

/* Takes over @block (from malloc), also on failure. 0 or -ENOMEM. */
int symbol_table_own(struct symbol_table *table, void *block);
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/* Sorts everything, keeps the best name of each address, drops labels inside functions. */
int symbol_table_finish(struct symbol_table *table);

/* One past the last byte that the symbol's own size claims. */
static inline uint64_t symbol_sized_end(const struct symbol *symbol)
{
	return symbol->size_bytes > UINT64_MAX - symbol->vaddr ? UINT64_MAX
							       : symbol->vaddr + symbol->size_bytes;
}

/* The range that holds @vaddr, of @count ranges sorted by start; or NULL. */
const struct code_range *code_range_find(const struct code_range *ranges, size_t count,
					 uint64_t vaddr);

/* A .symtab or .dynsym in memory. */
struct symtab {
	uint8_t *bytes;			/* owned */
	size_t count, size_bytes;
	const char *strings;		/* owned by the table */
	uint64_t strings_size_bytes;
	bool is_elf64, swapped;
};

/* Loads the first section of type @type (SHT_SYMTAB, SHT_DYNSYM); count 0 when there is none. */
int symtab_load(const struct elf_source *source, const struct elf_sections *sections, uint32_t type,
		struct symbol_table *table, struct symtab *ret_symtab);
void symtab_fini(struct symtab *symtab);

/* The name of symbol @index, or "". */
const char *symtab_name(const struct symtab *symtab, uint64_t index);

/* Appends its functions; *ret_count says how many were found. */
int symtab_functions(const struct symtab *symtab, const struct elf_sections *sections,
		     enum symbol_source as, struct symbol_table *table, size_t *ret_count);

/* PLT entries of x86_64 and aarch64, named after the relocation of their GOT slot: "puts". */
int plt_functions(const struct elf_source *source, const struct elf_sections *sections,
		  const struct symtab *dynsym, struct symbol_table *table);

/* Bounds of functions from frame records; those outside of the table's sections are dropped. */
int eh_frame_ranges(const struct image_file *file, const struct elf_source *source,
		    const struct elf_sections *sections, struct symbol_table *table);

/*
 * Opens the separate debug file of @file, checked to belong to it; -ENOENT when there is none, else
 * what the source of @places failed with, -EBADMSG where it gave that of another build-id.
 */
int debug_file_open(const struct image_file *file, const struct elf_source *source,
		    const struct elf_sections *sections, const struct debug_places *places,
		    struct image_file *ret_file);

/* The same by build-id alone. */
int debug_file_of_id(const uint8_t *build_id, size_t size, const struct debug_places *places,
		     struct image_file *ret_file);

/* Unpacks .gnu_debugdata, an ELF file in itself; -ENOENT when there is none. */
int minidebug_load(const struct elf_source *source, const struct elf_sections *sections,
		   uint8_t **ret_bytes, size_t *ret_size_bytes);

#endif
