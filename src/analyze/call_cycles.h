/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_cycles.h - finds functions that call each other in circles
 *
 * Finds the strongly connected components of a directed graph (Tarjan 1972). The implementation is
 * not recursive, because a forged recording may claim a callchain of a million functions.
 */
#ifndef ASSAY_ANALYZE_CALL_CYCLES_H
#define ASSAY_ANALYZE_CALL_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct call_edge {
	uint32_t from, to;
};

/*
 * Writes to @ret_cycle_of, for each vertex, the number of the cycle that contains the vertex.
 * Cycles are numbered from 1. The number is 0 if the vertex is in no cycle; a vertex that only
 * calls itself is in no cycle. All vertices of @edges must be below @vertex_count. Returns the
 * number of cycles, or -ENOMEM.
 */
int64_t call_cycles_find(const struct call_edge *edges, size_t edge_count, uint32_t *ret_cycle_of,
			 size_t vertex_count);

#endif
