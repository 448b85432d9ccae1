/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_cycles.h - which functions call each other in circles
 *
 * Finds the strongly connected components of a directed graph (Tarjan 1972). It does not recurse,
 * because a forged recording may claim a callchain of a million functions.
 */
#ifndef ASSAY_ANALYZE_CALL_CYCLES_H
#define ASSAY_ANALYZE_CALL_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct call_edge {
	uint32_t from, to;
};

/*
 * Writes the number of each vertex's cycle, counted from 1, to @ret_cycle_of. The number is 0 if
 * the vertex is in no cycle, also if it only calls itself. All vertices of @edges must be below
 * @vertex_count. Returns the number of cycles, or -ENOMEM.
 */
int64_t call_cycles_find(const struct call_edge *edges, size_t edge_count, uint32_t *ret_cycle_of,
			 size_t vertex_count);

#endif
