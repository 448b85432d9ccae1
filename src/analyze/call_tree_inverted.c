/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inverts a call tree, level by level.
 *
 * In this file a path starts at a sampled function and leads outwards through its callers. A node
 * of the inverted tree represents all paths that consist of the same functions from their start up
 * to this node.
 *
 * A level is a list of paths. Paths of the same node are adjacent in the list and form a slice. To
 * make the next level, each slice is sorted by the next caller of its paths. Paths with the same
 * next caller form one node of the next level. A path is removed from the list when it ends, or
 * when its node is too small to get children.
 */
#include "analyze/call_tree-private.h"

#include "base/cleanup.h"

/* maximum sum of the lengths of all paths; a forged file could need more */
#define STEPS_MAX (UINT64_C(1) << 26)

struct path {
	uint64_t frame;		/* frame of @at */
	uint32_t leaf;		/* node of the top-down tree whose self is counted */
	uint32_t at;		/* ancestor of @leaf that the path has reached so far */
};

struct paths {
	VEC(struct path) list;
};

/* A range of the list of paths: the paths of one inverted node. */
struct slice {
	uint32_t node;
	size_t first, count;
};

struct slices {
	VEC(struct slice) list;
};

struct inverter {
	const struct call_tree *from;
	struct call_tree *to;
	const struct call_tree_options *options;
	struct paths level, next;
	struct slices slices, next_slices;
	uint64_t steps;
};

static int compare_paths(const void *a, const void *b)
{
	const struct path *left = a, *right = b;

	if (left->frame != right->frame)
		return left->frame < right->frame ? -1 : 1;
	return (left->leaf > right->leaf) - (left->leaf < right->leaf);
}

/*
 * Most slices need no sorting: all of their paths have the same next caller, and the leaves are
 * already in order.
 */
static void sort_paths(struct path *paths, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_paths(&paths[i - 1], &paths[i]) > 0) {
			qsort(paths, count, sizeof(*paths), compare_paths);
			return;
		}
}

static bool is_worth_unfolding(const struct inverter *inverter, uint32_t node)
{
	const struct call_tree_options *options = inverter->options;

	return call_node_rank(inverter->to, node) >= options->min_rank &&
	       (!options->depth_max || inverter->to->nodes.at[node].depth < options->depth_max);
}

/*
 * Adds one node for @count paths that consist of the same functions up to this level. The paths
 * that have a further caller become a slice of the next level, unless the node is too small to get
 * children.
 */
static int add_node(struct inverter *inverter, uint32_t parent, const struct path *paths,
		    size_t count)
{
	const struct call_node *from = inverter->from->nodes.at;
	struct call_node *node = call_tree_add(inverter->to, parent, paths[0].frame);
	struct slice slice = { .first = inverter->next.list.count };
	struct slice *entry;

	if (!node)
		return -ENOMEM;
	slice.node = (uint32_t)(inverter->to->nodes.count - 1);
	for (size_t i = 0; i < count; i++) {
		uint32_t outer = from[paths[i].at].parent;
		struct path *path;

		count_add(&node->total, &from[paths[i].leaf].self);
		if (outer == CALL_TREE_ROOT) {
			count_add(&node->self, &from[paths[i].leaf].self);
			continue;
		}
		path = vec_push(&inverter->next.list);
		if (!path)
			return -ENOMEM;
		*path = (struct path){ from[outer].frame, paths[i].leaf, outer };
	}
	slice.count = inverter->next.list.count - slice.first;
	if (!slice.count || !is_worth_unfolding(inverter, slice.node)) {
		inverter->next.list.count = slice.first;
		return 0;
	}
	entry = vec_push(&inverter->next_slices.list);
	if (!entry)
		return -ENOMEM;
	*entry = slice;
	return 0;
}

static int unfold(struct inverter *inverter, const struct slice *slice)
{
	struct path *paths = inverter->level.list.at + slice->first;
	size_t count = slice->count;

	sort_paths(paths, count);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && paths[end].frame == paths[first].frame; end++)
			;
		inverter->steps += end - first;
		if (inverter->to->nodes.count >= call_tree_nodes_max(inverter->options) ||
		    inverter->steps > STEPS_MAX) {
			inverter->to->cut = true;
			return 0;
		}
		if (add_node(inverter, slice->node, paths + first, end - first) < 0)
			return -ENOMEM;
	}
	return 0;
}

/*
 * Starts one path at each node of the top-down tree that has samples of its own. Together the paths
 * form one slice, which belongs to the root.
 */
static int begin(struct inverter *inverter)
{
	const struct call_tree *from = inverter->from;
	struct slice *slice;

	for (uint32_t i = 1; i < from->nodes.count; i++) {
		struct path *path;

		if (!from->nodes.at[i].self.samples)
			continue;
		path = vec_push(&inverter->level.list);
		if (!path)
			return -ENOMEM;
		*path = (struct path){ from->nodes.at[i].frame, i, i };
	}
	inverter->to->nodes.at[CALL_TREE_ROOT].total = from->nodes.at[CALL_TREE_ROOT].total;
	slice = vec_push(&inverter->slices.list);
	if (!slice)
		return -ENOMEM;
	*slice = (struct slice){ CALL_TREE_ROOT, 0, inverter->level.list.count };
	return 0;
}

/* Replaces the current level by the next one. */
static void advance(struct inverter *inverter)
{
	struct slices slices = inverter->slices;
	struct paths level = inverter->level;

	inverter->slices = inverter->next_slices;
	inverter->next_slices = slices;
	inverter->level = inverter->next;
	inverter->next = level;
	vec_clear(&inverter->next.list);
	vec_clear(&inverter->next_slices.list);
}

static void fini(struct inverter *inverter)
{
	vec_free(&inverter->level.list);
	vec_free(&inverter->next.list);
	vec_free(&inverter->slices.list);
	vec_free(&inverter->next_slices.list);
}

int call_tree_invert(const struct call_tree *top_down, const struct call_tree_options *options,
		     struct call_tree *tree)
{
	_cleanup_(fini) struct inverter inverter = { .from = top_down,
						     .to = tree,
						     .options = options };
	int rc = begin(&inverter);

	if (rc < 0)
		return rc;
	while (inverter.slices.list.count) {
		for (size_t i = 0; i < inverter.slices.list.count; i++) {
			rc = unfold(&inverter, &inverter.slices.list.at[i]);
			if (rc < 0)
				return rc;
		}
		advance(&inverter);
	}
	return 0;
}
