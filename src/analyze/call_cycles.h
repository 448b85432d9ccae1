/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_cycles.h - which functions call each other in circles
 *
 * The strongly connected components of a directed graph (Tarjan 1972), without recursion, as a
 * forged recording may claim a chain of a million functions.
 */
#ifndef ASSAY_ANALYZE_CALL_CYCLES_H
#define ASSAY_ANALYZE_CALL_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct call_edge {
	uint32_t from, to;
};

/*
 * ret_cycle_of, by vertex: the number of its cycle from 1 on; 0 where it is in none, as one is
 * that only calls itself.  Edges name vertices below @vertex_count.  Returns how many cycles there
 * are, or -ENOMEM.
 */
int64_t call_cycles_find(const struct call_edge *edges, size_t edge_count, uint32_t *ret_cycle_of,
			 size_t vertex_count);

#endif
