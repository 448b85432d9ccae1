/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_query.h - the addresses that are asked about, and what was found out of each
 *
 * Private to this room.  Everything is done for a list of addresses at once: what a unit, a line
 * program or a tree says of a range goes to the queries inside it, found by bisection.  So nothing
 * of a file is kept or sorted, and what covers no query costs only its reading.
 */
#ifndef ASSAY_DWARF_DWARF_QUERY_H
#define ASSAY_DWARF_DWARF_QUERY_H

#include "dwarf/dwarf.h"

struct dwarf_query {
	uint64_t vaddr;
	size_t index;		/* the caller's */
	uint64_t unit_bytes;	/* of the range by which it is its unit's: the smallest wins */
	uint32_t unit;		/* 1 + index in file->units; 0: none */
	uint32_t node;		/* innermost function or inlined one: dwarf_tree.h; 0: none */
	uint32_t file, line;	/* of the line program */
	bool has_line;
};

/* Some of them, by vaddr. */
struct dwarf_queries {
	struct dwarf_query *at;
	size_t count;
};

/* Index of the first one at or behind @vaddr. */
static inline size_t dwarf_query_from(const struct dwarf_queries *queries, uint64_t vaddr)
{
	size_t low = 0, high = queries->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (queries->at[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
