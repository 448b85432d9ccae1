/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - turn what is known about an address into a function of the model
 *
 * An address that a symbol covers gets that symbol's name. An address that no symbol covers never
 * gets the name of a neighbor as its own:
 *	a->b		somewhere between the end of a and the start of b, the nearest symbols
 *			of the same section; there may be several functions in between
 *	a->b:401a30	one function between them, which .eh_frame says starts at vaddr 401a30
 *	[start]->b	the section has no symbol before it;  a->[end]: none after it
 *	fn_401a30	bounds are from .eh_frame, and the section has no symbols
 *	[libfoo.so.1]	only the image is known
 * The address in the name distinguishes functions between the same two neighbors, so that each one
 * is a row of its own. objdump and addr2line accept that address.
 */
#ifndef ASSAY_SYMBOLIZE_NAMES_H
#define ASSAY_SYMBOLIZE_NAMES_H

#include "elf/symbols.h"
#include "symbolize/hits.h"

/*
 * Longer names are cut to this length, demangled or not. A name in a file can be as long as the
 * file, and many symbols can share the bytes of one name.
 */
#define NAME_MAX_BYTES 1024

/* A symbol table, and how its addresses relate to the addresses of the image. */
struct named_code {
	const struct symbol_table *table;
	uint64_t bias;		/* image address minus vaddr in the table */
	uint64_t entry_vaddr;	/* ELF entry point; 0: none */
};

/* Names each hit that the table knows anything about. */
void names_from_table(const struct image_hits *hits, const struct named_code *code);

/* Names each hit that is still unnamed after the image itself. */
void names_from_image(const struct image_hits *hits);

/*
 * Returns the string id of @text, of which at most @length bytes are read. A name that is cut at
 * NAME_MAX_BYTES is counted in LOSS_STRING_CUT. If out of memory, counts LOSS_MEMORY and returns 0.
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
