/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - from what is known about an address to a function of the model
 *
 * What a symbol covers has that symbol's name.  What none covers is never given a neighbour's
 * name as its own:
 *	a->b		somewhere between the ends of a and the start of b, the nearest symbols
 *			of the same section; may be several functions
 *	a->b:401a30	one function there, which .eh_frame says starts at vaddr 401a30
 *	[start]->b	no symbol before it in the section;  a->[end]: none after it
 *	fn_401a30	bounds from .eh_frame, and not one symbol in the section
 *	[libfoo.so.1]	the image is all that is known
 * The address in the name tells apart the functions between the same two neighbours, each of
 * which is a row of its own, and is what objdump and addr2line want.
 */
#ifndef ASSAY_SYMBOLIZE_NAMES_H
#define ASSAY_SYMBOLIZE_NAMES_H

#include "elf/symbols.h"
#include "symbolize/hits.h"

/*
 * A name in a file can be as long as the file, and many symbols can share the bytes of one.
 * What is longer than this, demangled or not, is cut.
 */
#define NAME_MAX_BYTES 1024

/* A table and how its addresses relate to those of the image. */
struct named_code {
	const struct symbol_table *table;
	uint64_t bias;		/* image address - vaddr in the table */
	uint64_t entry_vaddr;	/* ELF entry point; 0: none */
};

/* Names each hit that the table knows something about. */
void names_from_table(const struct image_hits *hits, const struct named_code *code);

/* Names what is still unnamed after the image itself. */
void names_from_image(const struct image_hits *hits);

/*
 * The string id of at most @length bytes of @text. Cutting at NAME_MAX_BYTES is counted in
 * LOSS_STRING_CUT, lack of memory in LOSS_MEMORY (and is 0).
 */
uint32_t name_intern(struct model *model, const char *text, size_t length);

/* Sets function->name and ->linkage_name from a symbol's name, demangled if so asked. */
void name_function(const struct image_hits *hits, const char *linkage_name,
		   struct function *function);

/* The function's id in the model; 0 for one that has no name. */
uint32_t name_function_id(const struct image_hits *hits, const struct function *function);

#endif
