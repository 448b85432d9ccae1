/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/flame_layout.h"

#include "base/cleanup.h"

/* ---- selection of nodes ---- */

struct candidate {
	uint64_t rank;
	uint32_t node;
};

/*
 * Sorts by rank, highest first, then by index. A child never has a higher rank than its parent and
 * always has the higher index, so parents come first.
 */
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank > right->rank ? -1 : 1;
	return (left->node > right->node) - (left->node < right->node);
}

static size_t list_candidates(const struct call_tree *tree, double min_share,
			      struct candidate *list)
{
	double least = min_share * (double)call_node_rank(tree, CALL_TREE_ROOT);
	size_t count = 0;

	for (uint32_t node = 0; node < tree->nodes.count; node++) {
		uint64_t rank = call_node_rank(tree, node);

		if ((double)rank >= least)
			list[count++] = (struct candidate){ rank, node };
	}
	return count;
}

/*
 * Selects the nodes whose share is at least the minimum, beginning with the largest, which is the
 * root. Stops when the limit on bytes is reached. Stores the number of selected nodes in
 * *ret_count. Returns an array with a flag for each node, which the caller frees, or NULL if out of
 * memory.
 */
static bool *select_nodes(const struct call_tree *tree, const struct flame_limits *limits,
			  size_t *ret_count)
{
	_cleanup_free_ struct candidate *list = calloc(tree->nodes.count, sizeof(*list));
	bool *selected = calloc(tree->nodes.count, sizeof(bool));
	size_t count, bytes = 0, rows = 0;

	*ret_count = 0;
	if (!list || !selected) {
		free(selected);
		return NULL;
	}
	count = list_candidates(tree, limits->min_share, list);
	qsort(list, count, sizeof(*list), compare_candidates);
	for (size_t i = 0; i < count; i++) {
		size_t depth = tree->nodes.at[list[i].node].depth;

		if (limits->bytes_max && i > 0) {
			bytes += limits->bytes_each + limits->bytes_of(tree, list[i].node);
			if (depth > rows) {
				bytes += (depth - rows) * limits->bytes_row;
				rows = depth;
			}
			if (bytes > limits->bytes_max)
				break;
		}
		selected[list[i].node] = true;
		(*ret_count)++;
	}
	return selected;
}

/* ---- positions ---- */

static uint32_t units_of(const struct call_tree *tree)
{
	uint64_t whole = call_node_rank(tree, CALL_TREE_ROOT);

	return whole < FLAME_UNITS ? (uint32_t)whole : FLAME_UNITS;
}

/*
 * Converts a position in the unit of call_node_rank() to units of the layout. The edges of boxes
 * are rounded, not their widths, so that no box extends beyond its caller's box.
 */
static uint32_t edge_at(const struct call_tree *tree, uint32_t units, uint64_t rank)
{
	uint64_t whole = call_node_rank(tree, CALL_TREE_ROOT);

	if (rank >= whole)
		return units;
	if (whole == units)
		return (uint32_t)rank;
	return (uint32_t)((double)rank / (double)whole * units);
}

/*
 * Sorts boxes by row. The input is in depth-first order, so the boxes of each row are already in
 * order from left to right.
 */
static int sort_by_row(struct flame_layout *layout, const struct flame_box *boxes, size_t count)
{
	_cleanup_free_ size_t *next = calloc((size_t)layout->row_count + 1, sizeof(*next));

	if (!next || vec_reserve(&layout->boxes, count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		next[boxes[i].row + 1]++;
	for (size_t row = 0; row < layout->row_count; row++)
		next[row + 1] += next[row];
	for (size_t i = 0; i < count; i++)
		layout->boxes.at[next[boxes[i].row]++] = boxes[i];
	layout->boxes.count = count;
	return 0;
}

/* The part of a node's width that is not assigned to a child yet. */
struct room {
	uint64_t from, end;	/* both in the unit of call_node_rank() */
};

/*
 * Removes a range of size @rank from the beginning of @room and returns that range. If @room is
 * smaller than @rank, removes and returns all of @room.
 */
static struct room room_take(struct room *room, uint64_t rank)
{
	uint64_t left = room->end - room->from;
	struct room taken = { room->from, room->from + (rank < left ? rank : left) };

	room->from = taken.end;
	return taken;
}

/*
 * Computes the boxes of all selected nodes and stores them in @boxes, in depth-first order. @rooms
 * is scratch memory with one element for each node of the tree. Returns the number of boxes.
 */
static size_t place(const struct call_tree *tree, const bool *selected, struct room *rooms,
		    struct flame_layout *layout, struct flame_box *boxes)
{
	size_t count = 0;
	uint32_t node = CALL_TREE_ROOT;
	struct room all = { 0, call_node_rank(tree, CALL_TREE_ROOT) };

	do {
		const struct call_node *at = &tree->nodes.at[node];
		struct room *outer = node == CALL_TREE_ROOT ? &all : &rooms[at->parent];
		uint32_t start;

		if (!selected[node])
			continue;
		rooms[node] = room_take(outer, call_node_rank(tree, node));
		start = edge_at(tree, layout->units, rooms[node].from);
		boxes[count++] = (struct flame_box){
			.node = node,
			.row = at->depth,
			.start = start,
			.width = edge_at(tree, layout->units, rooms[node].end) - start,
		};
		if (at->depth >= layout->row_count)
			layout->row_count = at->depth + 1;
	} while ((node = call_tree_next(tree, node, selected)));
	return count;
}

int flame_layout_make(const struct call_tree *tree, const struct flame_limits *limits,
		      struct flame_layout *ret_layout)
{
	size_t count;
	_cleanup_free_ bool *selected = select_nodes(tree, limits, &count);
	_cleanup_free_ struct room *rooms = calloc(tree->nodes.count, sizeof(*rooms));
	_cleanup_free_ struct flame_box *boxes = calloc(count + 1, sizeof(*boxes));

	*ret_layout = (struct flame_layout){ .units = units_of(tree) };
	if (!selected || !rooms || !boxes)
		return -ENOMEM;
	count = place(tree, selected, rooms, ret_layout, boxes);
	ret_layout->left_out = tree->nodes.count - count;
	return sort_by_row(ret_layout, boxes, count);
}

void flame_layout_fini(struct flame_layout *layout)
{
	vec_free(&layout->boxes);
}
