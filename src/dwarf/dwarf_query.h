/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_query.h - the queried addresses, and the results for each of them
 *
 * Private to src/elf. All addresses are resolved together. When a unit, a line program or a tree
 * gives information about a range of addresses, the queries inside that range are found by
 * bisection and updated. So nothing from the file is stored or sorted, and a range without a query
 * costs no more than reading it.
 */
#ifndef ASSAY_DWARF_DWARF_QUERY_H
#define ASSAY_DWARF_DWARF_QUERY_H

#include "dwarf/dwarf.h"

struct dwarf_query {
	uint64_t vaddr;
	size_t index;		/* index in the caller's list */
	uint64_t unit_bytes;	/* size of the unit's range with vaddr; the smallest is chosen */
	uint32_t unit;		/* 1 + index in file->units; 0: none */
	uint32_t node;		/* innermost (inlined) function, see dwarf_tree.h; 0: none */
	uint32_t file, line;	/* from the line program */
	bool has_line;
};

/* A list of queries, sorted by vaddr. */
struct dwarf_queries {
	struct dwarf_query *at;
	size_t count;
};

/* Returns the index of the first query at or after @vaddr. */
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
