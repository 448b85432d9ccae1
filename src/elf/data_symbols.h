/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_symbols.h - name the data at an address of an ELF file
 *
 * This is the counterpart of symbols.h for data: it names the addresses of data to which
 * instructions refer. Names come from the data objects in .symtab and .dynsym. If .symtab has no
 * data objects, names also come from the .symtab of the separate debug file. A symbol names only
 * the addresses inside its size. Data that no symbol covers (literals, tables made by the compiler,
 * GOT slots) gets the name of its section. Thread-local data has no fixed address and is left out.
 *
 * The same limits apply as in symbols.h, and a damaged table is skipped, as described there.
 */
#ifndef ASSAY_ELF_DATA_SYMBOLS_H
#define ASSAY_ELF_DATA_SYMBOLS_H

#include "elf/symbols.h"

struct data_symbols {
	struct symbol_table objects;	/* sorted by vaddr; also owns the names of @sections */
	VEC(struct symbol) sections;	/* sections without code, sorted by vaddr */
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
 * Returns the data object that covers @vaddr. If there is none, returns the section that covers
 * @vaddr. If there is none either, returns NULL.
 */
const struct symbol *data_symbols_lookup(const struct data_symbols *data, uint64_t vaddr);

#endif
