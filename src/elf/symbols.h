/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - the functions that an ELF file can name, sorted by address
 *
 * The sources are merged in this order of trust: .symtab, the .symtab of the separate debug file
 * (found by build-id or .gnu_debuglink, checked by build-id or CRC), the xz-compressed
 * .gnu_debugdata, .dynsym, and PLT entries named after their relocations. .eh_frame gives the
 * bounds of functions that no table names. A lookup of an address never claims more than is known:
 * a symbol names only the addresses inside its size.
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
	 * As in the file, of any length; owned by the table. For a PLT entry, this is the function
	 * that it jumps to.
	 */
	const char *name;
	enum symbol_source source;
	uint32_t rank;		/* private: of the names of one address, the lowest rank is kept */
};

struct code_range {		/* bounds of a function from its FDE, without a name */
	uint64_t start_vaddr;
	uint64_t end_vaddr;
};

struct symbol_table {
	VEC(struct symbol) symbols;	/* sorted by vaddr; only the best name for each address */
	VEC(struct code_range) ranges;	/* sorted, from .eh_frame; empty if the table is complete */
	VEC(struct code_range) sections;/* executable sections, sorted */
	/* A .symtab of the whole file was found. Functions that it does not name have no name. */
	bool complete;
	struct symbol_storage *storage;	/* private: bytes of names, nesting of functions */
};

struct symbols_options {
	const char *const *debug_dirs;	/* NULL-terminated; NULL: {"/usr/lib/debug"} */
	bool no_debug_files;
	const struct debug_source *source;	/* asked for files not found elsewhere; or NULL */
	const char *name;		/* name of the image, passed to the source */
};

/*
 * Reads the tables of @file with pread(). If the file shrinks while it is read, it is treated as
 * damaged; a mapped file would raise SIGBUS instead. A table may have at most 256 MiB and may not
 * be compressed. A damaged table is skipped and the others are still used. Returns -ENOEXEC only if
 * nothing could be read, as in a truncated file, and for object files (ET_REL), because their
 * symbols have no addresses yet.
 */
int symbol_table_read(const struct image_file *file, const struct symbols_options *options,
		      struct symbol_table *ret_table, struct err *err);
int symbol_table_from_bytes(const void *bytes, size_t size_bytes, struct symbol_table *ret_table,
			    struct err *err);
void symbol_table_fini(struct symbol_table *table);

/* Returns the number of bytes of memory that @table uses. */
size_t symbol_table_bytes(const struct symbol_table *table);

/* What is known about the code at one address. */
struct symbol_answer {
	const struct symbol *symbol;	/* covers the address; NULL if no symbol does */
	const struct symbol *before;	/* nearest named neighbors in the same section, or NULL */
	const struct symbol *after;
	uint64_t start_vaddr;		/* from the symbol, the FDE or the neighbors; 0: unknown */
	uint64_t end_vaddr;		/* likewise */
	bool bounds_from_fde;
};

void symbol_table_lookup(const struct symbol_table *table, uint64_t vaddr,
			 struct symbol_answer *ret_answer);

#endif
