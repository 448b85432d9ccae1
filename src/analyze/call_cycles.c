/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/call_cycles.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct visited {
	uint32_t number;	/* position in the order of visits, from 1; 0: not visited yet */
	/* smallest `number` of the open vertices that are known to be reachable from this vertex */
	uint32_t low;
	uint32_t next;		/* next edge to look at, an index into search.to */
	/* the vertex from which this vertex was visited; itself if the search started here */
	uint32_t caller;
	bool open;		/* visited, but not yet assigned to a component */
};

struct search {
	struct visited *at;	/* by vertex */
	/* first[v]: index in `to` of vertex v's first edge; first[v + 1]: end */
	uint32_t *first;
	uint32_t *to;
	uint32_t *open;		/* stack of the open vertices */
	uint32_t open_count, numbered, cycles;
	uint32_t *cycle_of;
};

/* Sorts the edges by their origin with a counting sort. */
static void sort_edges(struct search *search, const struct call_edge *edges, size_t edge_count,
		       size_t vertex_count)
{
	for (size_t i = 0; i < edge_count; i++)
		search->first[edges[i].from + 1]++;
	for (size_t i = 0; i < vertex_count; i++) {
		search->first[i + 1] += search->first[i];
		search->at[i].next = search->first[i];
	}
	for (size_t i = 0; i < edge_count; i++)
		search->to[search->at[edges[i].from].next++] = edges[i].to;
	for (size_t i = 0; i < vertex_count; i++)
		search->at[i].next = search->first[i];
}

static void arrive(struct search *search, uint32_t vertex, uint32_t caller)
{
	struct visited *at = &search->at[vertex];

	at->number = at->low = ++search->numbered;
	at->caller = caller;
	at->open = true;
	search->open[search->open_count++] = vertex;
}

static void lower(struct visited *at, uint32_t number)
{
	if (number < at->low)
		at->low = number;
}

/*
 * Called when all edges of @vertex have been followed. If @vertex was visited before all other
 * members of its component, the component is complete: assigns all of its members to it. Otherwise,
 * the `low` of the vertex's caller becomes at most the `low` of @vertex.
 */
static void depart(struct search *search, uint32_t vertex)
{
	struct visited *at = &search->at[vertex];
	bool is_cycle = search->open[search->open_count - 1] != vertex;
	uint32_t member;

	if (at->low == at->number) {
		search->cycles += is_cycle;
		do {
			member = search->open[--search->open_count];
			search->at[member].open = false;
			search->cycle_of[member] = is_cycle ? search->cycles : 0;
		} while (member != vertex);
	}
	lower(&search->at[at->caller], at->low);
}

/*
 * Follows the next edge of @vertex, or goes back to the vertex's caller if no edge is left. Returns
 * the vertex at which the search continues.
 */
static uint32_t step(struct search *search, uint32_t vertex)
{
	struct visited *at = &search->at[vertex];
	uint32_t to;

	if (at->next == search->first[vertex + 1]) {
		depart(search, vertex);
		return at->caller;
	}
	to = search->to[at->next++];
	if (!search->at[to].number) {
		arrive(search, to, vertex);
		return to;
	}
	if (search->at[to].open)
		lower(at, search->at[to].number);
	return vertex;
}

static void search_from(struct search *search, uint32_t start)
{
	uint32_t vertex = start;

	arrive(search, start, start);
	while (search->at[start].open || vertex != start)
		vertex = step(search, vertex);
}

int64_t call_cycles_find(const struct call_edge *edges, size_t edge_count, uint32_t *ret_cycle_of,
			 size_t vertex_count)
{
	struct search search = {
		.at = calloc(vertex_count + 1, sizeof(*search.at)),
		.first = calloc(vertex_count + 1, sizeof(*search.first)),
		.to = calloc(edge_count + 1, sizeof(*search.to)),
		.open = calloc(vertex_count + 1, sizeof(*search.open)),
		.cycle_of = ret_cycle_of,
	};
	bool has_memory = search.at && search.first && search.to && search.open;

	if (has_memory) {
		sort_edges(&search, edges, edge_count, vertex_count);
		for (uint32_t vertex = 0; vertex < vertex_count; vertex++)
			if (!search.at[vertex].number)
				search_from(&search, vertex);
	}
	free(search.at);
	free(search.first);
	free(search.to);
	free(search.open);
	return has_memory ? (int64_t)search.cycles : -ENOMEM;
}
