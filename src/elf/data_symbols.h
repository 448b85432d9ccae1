/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_symbols.h - what data stands at an address of an ELF file
 *
 * The counterpart of symbols.h, for operands of instructions: objects of .symtab and .dynsym, or of
 * the separate debug file's .symtab where the file has none.  A symbol is a name only inside its
 * size.  What none covers (literals, tables of the compiler, GOT slots) has the name of its
 * section.  Thread-local data has no address and is left out.
 *
 * Bounds and damage are as in symbols.h.
 */
#ifndef ASSAY_ELF_DATA_SYMBOLS_H
#define ASSAY_ELF_DATA_SYMBOLS_H

#include "elf/symbols.h"

struct data_symbols {
	struct symbol_table objects;	/* symbols alone, by vaddr; owns the names of both */
	VEC(struct symbol) sections;	/* that are no code, by vaddr */
};

/*
 * @debug_dirs: NULL-terminated; NULL: {"/usr/lib/debug"}. 0, -ENOMEM, or -ENOEXEC for a damaged
 * file.
 */
int data_symbols_read(const struct image_file *file, const char *const *debug_dirs,
		      struct data_symbols *ret_data);
int data_symbols_from_bytes(const void *bytes, size_t size_bytes, struct data_symbols *ret_data);
void data_symbols_fini(struct data_symbols *data);

/* The object that covers @vaddr, else the section; NULL for neither. */
const struct symbol *data_symbols_lookup(const struct data_symbols *data, uint64_t vaddr);

#endif
