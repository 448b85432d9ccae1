/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_query.h - the queried addresses, and the results for each of them
 *
 * Private to src/dwarf. A query is an address together with the results found so far. All queries
 * are answered together. A unit, a line program or a tree gives facts about ranges of addresses.
 * For each range that the reader finds, a binary search finds the queries inside the range, and
 * their results are updated. So no data from the file has to be stored or sorted, and a range
 * without queries causes no work other than reading the range.
 */
#ifndef ASSAY_DWARF_DWARF_QUERY_H
#define ASSAY_DWARF_DWARF_QUERY_H

#include "dwarf/dwarf.h"

struct dwarf_query {
	uint64_t vaddr;
	size_t index;		/* index of the address in the caller's list */
	/*
	 * size of the unit's range that contains vaddr; if several units contain vaddr, the unit
	 * with the smallest such range is chosen
	 */
	uint64_t unit_bytes;
	/* 1 + index of the unit in file->units; 0: no unit contains vaddr */
	uint32_t unit;
	/* node of the innermost function (dwarf_tree.h), which may be inlined; 0: none */
	uint32_t node;
	uint32_t file, line;	/* file number and line number, from the line program */
	bool has_line;
};

/* A list of queries, sorted by vaddr. */
struct dwarf_queries {
	struct dwarf_query *at;
	size_t count;
};

/*
 * Returns the index of the first query whose vaddr is not below @vaddr, or the number of queries.
 */
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
