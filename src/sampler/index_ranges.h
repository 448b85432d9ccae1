/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index_ranges.h - keeps track of the free parts of a fixed array
 *
 * Made for arrays in kernel memory, whose elements cannot be moved. The free ranges are kept in a
 * sorted list, and adjacent free ranges are always merged. An allocation takes its elements from
 * the first free range that is large enough. Each call takes time linear in the number of free
 * ranges. That number stays small as long as most allocations are of similar size.
 */
#ifndef ASSAY_SAMPLER_INDEX_RANGES_H
#define ASSAY_SAMPLER_INDEX_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct index_range {
	uint32_t first, count;
};

struct index_ranges {
	VEC(struct index_range) free;	/* sorted by rising index */
};

/* Starts with all elements 0 .. @count - 1 free. Returns 0 or -ENOMEM. */
int index_ranges_init(struct index_ranges *ranges, uint32_t count);
void index_ranges_fini(struct index_ranges *ranges);

/*
 * Allocates @count adjacent elements. *@ret_first is the index of the first one. Returns -ENOSPC if
 * no free range is large enough.
 */
int index_ranges_take(struct index_ranges *ranges, uint32_t count, uint32_t *ret_first);

/*
 * Frees the @count elements from @first on. Returns -ENOMEM if the list of free ranges cannot grow;
 * the elements then stay allocated.
 */
int index_ranges_give(struct index_ranges *ranges, uint32_t first, uint32_t count);

#endif
