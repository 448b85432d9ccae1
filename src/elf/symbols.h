/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - the functions that an ELF file can name, sorted by address
 *
 * Symbols come from these sources, the most trusted first:
 * - .symtab
 * - the .symtab of the separate debug file (found by build-id or .gnu_debuglink, and checked by
 *   build-id or CRC)
 * - the xz-compressed .gnu_debugdata
 * - .dynsym
 * - PLT entries, whose names come from their relocations
 *
 * .eh_frame gives the bounds of functions whose names no table contains. A symbol names only the
 * addresses inside its size. An address after the symbol's end does not get the symbol's name.
 */
#ifndef ASSAY_ELF_SYMBOLS_H
#define ASSAY_ELF_SYMBOLS_H

#include "base/byte_reader.h"
#include "elf/debug_source.h"
#include "elf/image_file.h"

enum symbol_source { SYMBOL_SYMTAB, SYMBOL_DYNSYM, SYMBOL_PLT };

struct symbol {
	uint64_t vaddr;
	/*
	 * Size of the function, or 0 if the symbol has none (hand-written assembly). A symbol
	 * without a size extends to the next symbol or FDE, or to the end of its section.
	 */
	uint64_t size_bytes;
	/*
	 * Name as in the file, of any length; owned by the table. For a PLT entry, this is the name
	 * of the function to which the entry jumps.
	 */
	const char *name;
	enum symbol_source source;
	bool is_resolver;	/* returns the address of the function (STT_GNU_IFUNC) */
	/*
	 * private: of several symbols with the same address, the one with the lowest rank is kept
	 */
	uint32_t rank;
};

struct code_range {		/* bounds of a function (from its FDE) or of a section */
	uint64_t start_vaddr;
	uint64_t end_vaddr;
};

struct symbol_table {
	/* sorted by vaddr; each address has only its best name (see all_names) */
	VEC(struct symbol) symbols;
	/* functions in .eh_frame, sorted; empty if the table is complete */
	VEC(struct code_range) ranges;
	VEC(struct code_range) sections;/* executable sections, sorted */
	/*
	 * True if a .symtab was found that covers the whole file. No other table can then name a
	 * function that is missing from this .symtab.
	 */
	bool complete;
	/* private: memory with the names; links to enclosing functions */
	struct symbol_storage *storage;
};

struct symbols_options {
	struct debug_places places;
	bool no_debug_files;
	bool all_names;		/* keep all names of an address, the best one first */
};

/*
 * Reads the symbol tables of @file. A table may have at most 256 MiB and may not be compressed. A
 * damaged table is skipped, but the other tables are still used. Files are read with pread(). So if
 * a file shrinks while it is read, it is treated as damaged; access to a mapped file would raise
 * SIGBUS instead. Returns -ENOEXEC in only two cases: nothing could be read, for example because
 * the file is truncated, or the file is an object file (ET_REL), whose symbols have no addresses
 * yet.
 */
int symbol_table_read(const struct image_file *file, const struct symbols_options *options,
		      struct symbol_table *ret_table, struct err *err);
int symbol_table_from_bytes(const void *bytes, size_t size_bytes, struct symbol_table *ret_table,
			    struct err *err);
void symbol_table_fini(struct symbol_table *table);

/* Returns the number of bytes of memory that @table uses. */
size_t symbol_table_bytes(const struct symbol_table *table);

/* The result of looking up an address. */
struct symbol_answer {
	const struct symbol *symbol;	/* covers the address; NULL if no symbol does */
	/* nearest symbols before and after the address, in the same section; or NULL */
	const struct symbol *before;
	const struct symbol *after;
	/* start of the function, or of the gap between the neighbors; 0: unknown */
	uint64_t start_vaddr;
	uint64_t end_vaddr;		/* end of the function or gap; 0: unknown */
	bool bounds_from_fde;
};

void symbol_table_lookup(const struct symbol_table *table, uint64_t vaddr,
			 struct symbol_answer *ret_answer);

#endif
