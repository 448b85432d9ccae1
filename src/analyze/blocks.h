/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h - the basic blocks of machine code that samples lie in
 *
 *	struct code_blocks blocks;
 *	code_blocks_make(&profile, &source, &blocks);	profile read with by_address
 *	profile.blocks = &blocks;			for BY_BLOCK of group.h
 *
 * Blocks: disasm/leaders.h.  Of each function with samples the instructions are asked for once,
 * and only the blocks that were hit are kept.  What has no code, or lies behind its end, is in no
 * block and is counted by function.
 *
 * Cost: one walk over the code of each function that was hit, and memory for the largest.
 */
#ifndef ASSAY_ANALYZE_BLOCKS_H
#define ASSAY_ANALYZE_BLOCKS_H

#include "analyze/profile.h"
#include "disasm/disasm.h"

struct code_block {
	uint32_t function;
	uint64_t begin, end;	/* vaddr of the first byte, and behind the last */
};

struct code_blocks {
	VEC(struct code_block) list;	/* [0] is none */
	uint32_t *of_location;		/* by location id: index in the list, 0: none */
	size_t location_count;
	size_t unread;			/* functions whose code is not known */
	struct err why;			/* of the one with most samples */
};

/*
 * Replaces what is in *instructions by those of @function, from its beginning on. -ENOMEM ends it
 * all; after another negative errno the function has no blocks.
 */
struct block_source {
	int (*read)(void *context, uint32_t function, struct instructions *instructions,
		    struct err *err);
	void *context;
};

/* 0 or -ENOMEM; code_blocks_fini() after either. */
int code_blocks_make(const struct profile *profile, const struct block_source *source,
		     struct code_blocks *ret_blocks);
void code_blocks_fini(struct code_blocks *blocks);

/* The block of a location, NULL: it lies in none. */
static inline const struct code_block *code_block_at(const struct code_blocks *blocks,
						     uint32_t location)
{
	uint32_t id = location < blocks->location_count ? blocks->of_location[location] : 0;

	return id ? &blocks->list.at[id] : NULL;
}

#endif
