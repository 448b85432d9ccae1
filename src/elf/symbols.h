/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - the functions an ELF file can name, sorted by address
 *
 * Sources, merged in this order of trust: .symtab, the .symtab of the separate debug file
 * (found by build-id or .gnu_debuglink, checked by build-id or CRC), the xz-compressed
 * .gnu_debugdata, .dynsym, PLT entries named after their relocations.  .eh_frame gives the
 * bounds of functions that no table names.  The result answers "what is at this vaddr?"
 * honestly: a symbol is a name only for the addresses inside its size.
 */
#ifndef ASSAY_ELF_SYMBOLS_H
#define ASSAY_ELF_SYMBOLS_H

#include "base/byte_reader.h"
#include "elf/debug_source.h"
#include "elf/image_file.h"

enum symbol_source { SYMBOL_SYMTAB, SYMBOL_DYNSYM, SYMBOL_PLT };

struct symbol {
	uint64_t vaddr;
	uint64_t size_bytes;	/* 0 for symbols without (hand-written assembly): they extend to
				   the next symbol or FDE or the end of their section */
	const char *name;	/* as in the file, of any length; owned by the table.  Of a PLT
				   entry: the function that it jumps to */
	enum symbol_source source;
	uint32_t rank;		/* private: of the names of one address the lowest is kept */
};

struct code_range {		/* a function by its FDE, without a name */
	uint64_t start_vaddr;
	uint64_t end_vaddr;
};

struct symbol_table {
	VEC(struct symbol) symbols;	/* sorted by vaddr; of equal ones the best name only */
	VEC(struct code_range) ranges;	/* sorted, from .eh_frame; empty where every hit is named */
	VEC(struct code_range) sections;/* executable sections, sorted */
	bool complete;			/* a .symtab of the whole file was found: what it does not
					   name has no name */
	struct symbol_storage *storage;	/* private: name bytes, nesting of functions */
};

struct symbols_options {
	const char *const *debug_dirs;	/* NULL-terminated; default {"/usr/lib/debug"} */
	bool no_debug_files;
	const struct debug_source *source;	/* asked for what is in none of them; or NULL */
	const char *name;		/* of the image, for the source */
};

/*
 * Reads the tables of @file with pread(): a file that shrinks while it is read is a damaged
 * one, where a mapping would be a SIGBUS.  Each table may have 256 MiB, and none may be
 * compressed.  A damaged table is skipped and the rest is still used; -ENOEXEC only when
 * nothing could be read, as in a file cut short, and for object files (ET_REL), whose symbols
 * have no addresses yet.
 */
int symbol_table_read(const struct image_file *file, const struct symbols_options *options,
		      struct symbol_table *ret_table, struct err *err);
int symbol_table_from_bytes(const void *bytes, size_t size_bytes, struct symbol_table *ret_table,
			    struct err *err);
void symbol_table_fini(struct symbol_table *table);

/* What it takes of memory. */
size_t symbol_table_bytes(const struct symbol_table *table);

/* What is known about the code at one address. */
struct symbol_answer {
	const struct symbol *symbol;	/* covers the address; NULL when none does */
	const struct symbol *before;	/* nearest named neighbours in the same section, or NULL */
	const struct symbol *after;
	uint64_t start_vaddr;		/* bounds of the function: the symbol's, else the FDE's, */
	uint64_t end_vaddr;		/* else up to the neighbours; 0, 0 when unknown */
	bool bounds_from_fde;
};

void symbol_table_lookup(const struct symbol_table *table, uint64_t vaddr,
			 struct symbol_answer *ret_answer);

#endif
