/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - choose a function of the model for an address, from what is known about the address
 *
 * An address that a symbol covers gets that symbol's name. An address that no symbol covers gets
 * one of these names, so that it is never mistaken for part of a neighboring function:
 *	a->b		somewhere between the end of a and the start of b, the nearest symbols
 *			of the same section; there may be several functions in between
 *	a->b:401a30	the function between a and b that starts at vaddr 401a30, according
 *			to .eh_frame
 *	[start]->b	like a->b, but the section has no symbol before the address
 *	a->[end]	like a->b, but the section has no symbol after the address
 *	fn_401a30	bounds are from .eh_frame, and the section has no symbols
 *	[libfoo.so.1]	only the image is known
 * The hexadecimal address in a name distinguishes functions between the same two neighbors, so that
 * a report shows each one separately. objdump and addr2line accept that address.
 */
#ifndef ASSAY_SYMBOLIZE_NAMES_H
#define ASSAY_SYMBOLIZE_NAMES_H

#include "elf/symbols.h"
#include "symbolize/hits.h"

/*
 * Longer names, demangled or not, are truncated to this length. This limits memory: a name in a
 * file can be as long as the file, and many symbols can share the bytes of one name.
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

/* Gives each hit that is still unnamed the name of the image, such as "[libfoo.so.1]". */
void names_from_image(const struct image_hits *hits);

/*
 * Adds @text to the model's strings and returns its string id. Reads at most @length bytes. If the
 * text is longer than NAME_MAX_BYTES, truncates it and counts LOSS_STRING_CUT. If out of memory,
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
