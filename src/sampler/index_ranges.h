/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index_ranges.h - which parts of a fixed array are free
 *
 * For arrays whose memory is the kernel's and whose elements cannot move: first fit over a sorted
 * list of free ranges that never touch each other.  Linear in the number of free ranges, which is
 * small as long as most things allocated are of similar size.
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

/* All of 0 .. @count - 1 is free. 0 or -ENOMEM. */
int index_ranges_init(struct index_ranges *ranges, uint32_t count);
void index_ranges_fini(struct index_ranges *ranges);

/* The first of @count adjacent elements, which are taken; -ENOSPC when there are none. */
int index_ranges_take(struct index_ranges *ranges, uint32_t count, uint32_t *ret_first);

/* Gives them back. -ENOMEM leaves them taken. */
int index_ranges_give(struct index_ranges *ranges, uint32_t first, uint32_t count);

#endif
