/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h - finds the basic blocks of machine code that contain samples
 *
 *	struct code_blocks blocks;
 *	code_blocks_make(&profile, &source, &blocks);	profile must be read with by_address
 *	profile.blocks = &blocks;			needed for BY_BLOCK of group.h
 *
 * Basic blocks are explained in disasm/leaders.h. The instructions of each function with samples
 * are read once, and only blocks with samples are kept. A sample belongs to no block if the code of
 * its function is unknown, or if the sample lies past the end of that code. Tables by block count
 * such a sample under its function.
 *
 * Cost: one walk over the code of each function with samples, and memory for the largest of these
 * functions.
 */
#ifndef ASSAY_ANALYZE_BLOCKS_H
#define ASSAY_ANALYZE_BLOCKS_H

#include "analyze/profile.h"
#include "disasm/disasm.h"

struct code_block {
	uint32_t function;
	/* vaddr of the first byte of the block, and vaddr of the first byte after the block */
	uint64_t begin, end;
};

struct code_blocks {
	VEC(struct code_block) list;	/* [0] is unused: it means "no block" */
	/* block of each location, as an index in the list; 0: none */
	uint32_t *of_location;
	size_t location_count;
	size_t unread;			/* number of functions whose code could not be read */
	/*
	 * the error of the function with the most samples, among the functions that could not be
	 * read
	 */
	struct err why;
};

/*
 * read() replaces the contents of *instructions with the instructions of @function, starting at the
 * function's first instruction. It returns 0 or a negative errno. If read() returns -ENOMEM,
 * code_blocks_make() fails. After any other error code_blocks_make() continues, and this function
 * has no blocks.
 */
struct block_source {
	int (*read)(void *context, uint32_t function, struct instructions *instructions,
		    struct err *err);
	void *context;
};

/* Returns 0 or -ENOMEM. Call code_blocks_fini() in both cases. */
int code_blocks_make(const struct profile *profile, const struct block_source *source,
		     struct code_blocks *ret_blocks);
void code_blocks_fini(struct code_blocks *blocks);

/* Returns the block of a location, or NULL if the location is in no block. */
static inline const struct code_block *code_block_at(const struct code_blocks *blocks,
						     uint32_t location)
{
	uint32_t id = location < blocks->location_count ? blocks->of_location[location] : 0;

	return id ? &blocks->list.at[id] : NULL;
}

#endif
