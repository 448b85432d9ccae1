/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - choose a function of the model for an address, from what is known about the address
 *
 * An address that a symbol covers gets that symbol's name. An address that no symbol covers gets
 * one of these names, so that it is never mistaken for part of a neighboring function:
 *	fn_401a30	the function that starts at vaddr 401a30, according to .eh_frame
 *	gap_401a30	the code from vaddr 401a30, where a symbol ends, to the next symbol; there
 *			may be several functions in it
 *	[libfoo.so.1]	only the image is known
 * Only the last byte before a function may get the function's name, because a signal frame is
 * looked up there. objdump and addr2line accept the address. The nearest symbols of the same
 * section, the neighbors, are kept beside such a name (struct function), because a name made of
 * them would be read as that of a call between two functions that had no part in it.
 */
#ifndef ASSAY_SYMBOLIZE_NAMES_H
#define ASSAY_SYMBOLIZE_NAMES_H

#include "elf/symbols.h"
#include "symbolize/hits.h"

/*
 * Of longer names, demangled or not, the middle is replaced by a hash. This limits memory: a name
 * in a file can be as long as the file, and many symbols can share the bytes of one name.
 */
#define NAME_MAX_BYTES 1024

/* A symbol table, and the offset between its addresses and the addresses of the image. */
struct named_code {
	const struct symbol_table *table;
	uint64_t bias;		/* image address minus vaddr in the table */
	uint64_t entry_vaddr;	/* ELF entry point; 0: none */
};

/* Names each hit for which the table has a symbol, bounds or neighbors. */
void names_from_table(const struct image_hits *hits, const struct named_code *code);

/*
 * Reads the symbol tables of @file and names the hits. @cache, which may be NULL, keeps the table
 * under the number @key. Returns 0 or an error of symbol_table_read().
 */
int names_from_file(const struct image_hits *hits, const struct image_file *file,
		    const struct symbols_options *options, struct symbol_cache *cache,
		    uint32_t key);

/* Gives each hit that is still unnamed the name of the image, such as "[libfoo.so.1]". */
void names_from_image(const struct image_hits *hits);

/*
 * Adds @text to the model's strings and returns its string id. Reads at most @length bytes. If the
 * text is longer than NAME_MAX_BYTES, shortens it and counts LOSS_STRING_CUT. If out of memory,
 * counts LOSS_MEMORY and returns 0.
 */
uint32_t name_intern(struct model *model, const char *text, size_t length);

/*
 * Sets function->name and ->linkage_name from a symbol's name. Demangles the name if the options
 * ask for it.
 */
void name_function(const struct image_hits *hits, const char *linkage_name,
		   struct function *function);

/* Returns the function's id in the model, or 0 if the function has no name. */
uint32_t name_function_id(const struct image_hits *hits, const struct function *function);

#endif
