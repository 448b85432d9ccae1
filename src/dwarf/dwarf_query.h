/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_query.h - the queried addresses, and the results for each of them
 *
 * Private to src/elf. A query is an address together with the results found so far. All queries are
 * answered together. Whenever the reader finds a range of addresses in a unit, a line program or a
 * tree, a binary search finds the queries inside the range, and the results of these queries are
 * updated. So no data from the file has to be stored or sorted, and a range without queries costs
 * no more than the reading of the range.
 */
#ifndef ASSAY_DWARF_DWARF_QUERY_H
#define ASSAY_DWARF_DWARF_QUERY_H

#include "dwarf/dwarf.h"

struct dwarf_query {
	uint64_t vaddr;
	size_t index;		/* index of the address in the caller's list */
	/*
	 * size of the range that contains vaddr; among several units, the one with the smallest
	 * range is chosen
	 */
	uint64_t unit_bytes;
	uint32_t unit;		/* 1 + index in file->units; 0: none */
	uint32_t node;		/* innermost (inlined) function, see dwarf_tree.h; 0: none */
	uint32_t file, line;	/* file and line number from the line program */
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
