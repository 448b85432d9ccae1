/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h - the basic blocks of machine code that samples lie in
 *
 *	struct code_blocks blocks;
 *	code_blocks_make(&profile, &source, &blocks);	profile read with by_address
 *	profile.blocks = &blocks;			for BY_BLOCK of group.h
 *
 * Basic blocks are explained in disasm/leaders.h. The instructions of each function with samples
 * are read once, and only blocks with samples are kept. A sample whose function has no known code,
 * or that lies past the end of its code, is in no block. It is counted by function.
 *
 * Cost: one walk over the code of each function with samples, and memory for the largest of them.
 */
#ifndef ASSAY_ANALYZE_BLOCKS_H
#define ASSAY_ANALYZE_BLOCKS_H

#include "analyze/profile.h"
#include "disasm/disasm.h"

struct code_block {
	uint32_t function;
	uint64_t begin, end;	/* vaddr of the first byte, and of the first byte after the block */
};

struct code_blocks {
	VEC(struct code_block) list;	/* [0] is unused: it means "no block" */
	uint32_t *of_location;		/* by location id: index in the list; 0: none */
	size_t location_count;
	size_t unread;			/* functions whose code is not known */
	struct err why;			/* reason for the one with the most samples */
};

/*
 * Replaces the contents of *instructions with the instructions of @function, from its beginning. If
 * it returns -ENOMEM, code_blocks_make() fails. After any other negative errno this function just
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
