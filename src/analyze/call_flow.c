/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/call_flow.h"

#include "analyze/slots.h"
#include "base/cleanup.h"

#define NO_ARC UINT32_MAX

/* One node on the path from the root to the current node of the walk. */
struct level {
	uint32_t vertex;
	/*
	 * arc from the vertex of the next outer level to this vertex; NO_ARC: they are the same
	 * vertex
	 */
	uint32_t arc;
	uint32_t before;		/* next outer level that has the same vertex, or 0 */
	/* self of the vertex at the time when the walk entered this level */
	struct count self_before;
	/*
	 * The path left level `before` through the vertex of level `before` + 1. This is the self
	 * of that vertex at the time when the walk entered this level. It is set only if way_out()
	 * is not NULL.
	 */
	struct count left_before;
};

struct walk {
	const struct call_tree *tree;
	const uint32_t *vertex_of;
	struct call_flow *flow;
	struct slots slots;		/* index of the arcs, by caller and callee */
	VEC(struct level) path;		/* by depth; [0] is the root */
};

struct search {
	const struct call_arc *arcs;
	uint32_t caller, callee;
};

static inline bool same_arc(size_t row, const void *arg)
{
	const struct search *search = arg;

	return search->arcs[row].caller == search->caller &&
	       search->arcs[row].callee == search->callee;
}

static int find_arc(struct walk *walk, uint32_t caller, uint32_t callee, uint32_t *ret_arc)
{
	struct search search = { walk->flow->arcs.at, caller, callee };
	uint64_t hash = slots_hash(caller, callee);
	uint64_t *slot = slots_find(&walk->slots, hash, same_arc, &search);
	struct call_arc *arc;

	if (!slot)
		return -ENOMEM;
	if (!*slot) {
		arc = vec_push(&walk->flow->arcs);
		if (!arc)
			return -ENOMEM;
		*arc = (struct call_arc){ .caller = caller, .callee = callee };
		slots_fill(&walk->slots, slot, hash, walk->flow->arcs.count - 1);
	}
	*ret_arc = (uint32_t)slots_row(slot);
	return 0;
}

static struct level *level_at(struct walk *walk, uint32_t depth)
{
	while (walk->path.count <= depth)
		if (!vec_push(&walk->path))
			return NULL;
	return &walk->path.at[depth];
}

/*
 * If the same vertex also occurs further out on the path, returns the level that is one step inside
 * the nearest such occurrence. Returns NULL if there is no such occurrence, or if that level is
 * @level itself.
 */
static const struct level *way_out(const struct walk *walk, const struct level *level)
{
	const struct level *way = &walk->path.at[level->before + 1];

	return level->before && way != level ? way : NULL;
}

static void charge(struct walk *walk, const struct level *level, const struct count *total)
{
	struct call_flow_vertex *vertex = &walk->flow->vertices.at[level->vertex];
	struct call_arc *arcs = walk->flow->arcs.at;
	const struct level *way = way_out(walk, level);

	if (!level->before)
		count_add(&vertex->total, total);
	else if (!walk->path.at[level->before].before)
		count_add(&vertex->recursive, total);
	if (level->arc != NO_ARC) {
		count_add(&arcs[level->arc].by_caller.total, total);
		if (!level->before)
			count_add(&arcs[level->arc].by_callee.total, total);
	}
	if (way)
		count_subtract(&arcs[way->arc].by_caller.total, total);
}

static int enter(struct walk *walk, uint32_t node_id)
{
	const struct call_node *node = &walk->tree->nodes.at[node_id];
	uint32_t id = walk->vertex_of[node_id];
	struct call_flow_vertex *vertex = &walk->flow->vertices.at[id];
	struct level *level = level_at(walk, node->depth);
	uint32_t caller = walk->path.at[node->depth - 1].vertex;
	const struct level *way;

	if (!level)
		return -ENOMEM;
	*level = (struct level){
		.vertex = id, .arc = NO_ARC, .before = vertex->last, .self_before = vertex->self
	};
	if (caller != id && find_arc(walk, caller, id, &level->arc) < 0)
		return -ENOMEM;
	way = way_out(walk, level);
	if (way)
		level->left_before = walk->flow->vertices.at[way->vertex].self;
	charge(walk, level, &node->total);
	count_add(&vertex->self, &node->self);
	vertex->last = node->depth;
	return 0;
}

/* Returns how much a sum has grown since it had the value @before. */
static struct count grown(const struct count *sum, const struct count *before)
{
	struct count count = *sum;

	count_subtract(&count, before);
	return count;
}

static void leave(struct walk *walk, uint32_t node)
{
	struct call_flow_vertex *vertices = walk->flow->vertices.at;
	struct call_arc *arcs = walk->flow->arcs.at;
	const struct level *level = &walk->path.at[walk->tree->nodes.at[node].depth];
	const struct level *way = way_out(walk, level);
	struct count self = grown(&vertices[level->vertex].self, &level->self_before);

	if (level->arc != NO_ARC) {
		count_add(&arcs[level->arc].by_caller.self, &self);
		if (!level->before)
			count_add(&arcs[level->arc].by_callee.self, &self);
	}
	if (way) {
		self = grown(&vertices[way->vertex].self, &level->left_before);
		count_subtract(&arcs[way->arc].by_caller.self, &self);
	}
	vertices[level->vertex].last = level->before;
}

static int walk_tree(struct walk *walk)
{
	const struct call_node *nodes = walk->tree->nodes.at;
	uint32_t node = nodes[CALL_TREE_ROOT].first_child;

	while (node) {
		int rc = enter(walk, node);

		if (rc < 0)
			return rc;
		if (nodes[node].first_child) {
			node = nodes[node].first_child;
			continue;
		}
		leave(walk, node);
		while (!nodes[node].next_sibling && nodes[node].parent != CALL_TREE_ROOT) {
			node = nodes[node].parent;
			leave(walk, node);
		}
		node = nodes[node].next_sibling;
	}
	return 0;
}

static void walk_fini(struct walk *walk)
{
	slots_fini(&walk->slots);
	vec_free(&walk->path);
}

int call_flow_make(const struct call_tree *tree, const uint32_t *vertex_of, size_t vertex_count,
		   struct call_flow *ret_flow)
{
	_cleanup_(walk_fini) struct walk walk = { .tree = tree,
						  .vertex_of = vertex_of,
						  .flow = ret_flow };

	*ret_flow = (struct call_flow){ 0 };
	for (size_t i = 0; i < vertex_count; i++)
		if (!vec_push(&ret_flow->vertices))
			return -ENOMEM;
	return level_at(&walk, 0) ? walk_tree(&walk) : -ENOMEM;
}

void call_flow_fini(struct call_flow *flow)
{
	vec_free(&flow->vertices);
	vec_free(&flow->arcs);
}
