/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_index.h - finds functions by address
 *
 * A location's function is nearly always the one whose bytes contain the location. So the file
 * stores only which locations are exceptions (dictionary_block.h).
 */
#ifndef ASSAY_STORE_FUNCTION_INDEX_H
#define ASSAY_STORE_FUNCTION_INDEX_H

#include "base/vec.h"
#include "model/location.h"

struct function_place {
	uint64_t key;			/* image and vaddr */
	uint32_t function;
};

struct function_index {
	const struct function *functions;	/* borrowed */
	VEC(struct function_place) places;	/* sorted by key */
};

/*
 * Makes an index of @functions[1 .. count), which must stay as it is. Functions of unknown size are
 * left out. Returns 0 or -ENOMEM. Call function_index_fini() in both cases.
 */
int function_index_init(struct function_index *index, const struct function *functions,
			size_t count);
void function_index_fini(struct function_index *index);

/*
 * Returns the function that contains @location, or 0. If functions overlap, it is the one that
 * begins last, and of several that begin at the same address the one with the highest id.
 */
uint32_t function_index_find(const struct function_index *index, const struct location *location);

#endif
