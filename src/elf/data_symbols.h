/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_symbols.h - name the data at an address of an ELF file
 *
 * This is the counterpart of symbols.h for data: it names the addresses that instructions refer to.
 * Names come from the data objects in .symtab and .dynsym. If the file has no .symtab, they come
 * from the .symtab of its separate debug file. A symbol names only the addresses inside its size.
 * Data that no symbol covers (literals, tables made by the compiler, GOT slots) gets the name of
 * its section. Thread-local data has no fixed address and is left out.
 *
 * The limits are those of symbols.h, and damage is handled as described there.
 */
#ifndef ASSAY_ELF_DATA_SYMBOLS_H
#define ASSAY_ELF_DATA_SYMBOLS_H

#include "elf/symbols.h"

struct data_symbols {
	struct symbol_table objects;	/* symbols by vaddr; owns the names of sections, too */
	VEC(struct symbol) sections;	/* sections that hold no code, by vaddr */
};

/*
 * Reads the data symbols of @file. @debug_dirs is NULL-terminated; NULL means {"/usr/lib/debug"}.
 * Returns 0, -ENOMEM, or -ENOEXEC for a damaged file.
 */
int data_symbols_read(const struct image_file *file, const char *const *debug_dirs,
		      struct data_symbols *ret_data);
int data_symbols_from_bytes(const void *bytes, size_t size_bytes, struct data_symbols *ret_data);
void data_symbols_fini(struct data_symbols *data);

/*
 * Returns the data object that covers @vaddr or, if no object does, the section that covers @vaddr,
 * or NULL.
 */
const struct symbol *data_symbols_lookup(const struct data_symbols *data, uint64_t vaddr);

#endif
