/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/call_tree.h"

#include "analyze/call_tree-private.h"
#include "analyze/lookup.h"
#include "analyze/slots.h"
#include "base/cleanup.h"

#define NODES_MAX UINT32_MAX

struct call_node *call_tree_add(struct call_tree *tree, uint32_t parent, uint64_t frame)
{
	bool is_root = tree->nodes.count == 0;
	struct call_node *node = tree->nodes.count < NODES_MAX ? vec_push(&tree->nodes) : NULL;

	if (!node)
		return NULL;
	*node = (struct call_node){ .frame = frame, .parent = parent };
	node->depth = is_root ? 0 : tree->nodes.at[parent].depth + 1;
	return node;
}

/* ---- top-down ---- */

struct builder {
	struct call_tree *tree;
	const struct model *model;
	struct slots slots;	/* index of the nodes, by parent and frame */
	/* by stack id: node of the stack; UINT32_MAX: no sample's stack contains this stack */
	uint32_t *node_of;
	/* once the tree has this many nodes, no more inlined functions are added */
	size_t inlined_max;
};

struct search {
	const struct call_node *nodes;
	uint64_t frame;
	uint32_t parent;
};

static inline bool same_node(size_t row, const void *arg)
{
	const struct search *search = arg;

	return search->nodes[row].parent == search->parent &&
	       search->nodes[row].frame == search->frame;
}

static int find_child(struct builder *builder, uint32_t parent, uint64_t frame, uint32_t *ret_node)
{
	struct call_tree *tree = builder->tree;
	struct search search = { tree->nodes.at, frame, parent };
	uint64_t hash = slots_hash(frame, parent);
	uint64_t *slot = slots_find(&builder->slots, hash, same_node, &search);

	if (!slot)
		return -ENOMEM;
	if (!*slot) {
		if (!call_tree_add(tree, parent, frame))
			return -ENOMEM;
		slots_fill(&builder->slots, slot, hash, tree->nodes.count - 1);
	}
	*ret_node = (uint32_t)slots_row(slot);
	return 0;
}

/*
 * Returns the id of the parent of stack @id. A parent's id is always smaller than its child's. If
 * it is larger, the file is damaged, so the rest of the stack is unknown.
 */
static uint32_t parent_of(const struct model *model, uint32_t id)
{
	uint32_t parent = model->stacks.at[id].parent;

	return parent < id ? parent : STACK_ROOT_BROKEN;
}

/*
 * Marks each stack that has samples, and each stack that is the outer part of a stack with samples.
 * A parent's id is smaller than its child's, so the loop runs from the highest id down.
 */
static void mark_paths(const struct stack_counts *stacks, const struct model *model,
		       uint32_t *node_of)
{
	for (uint32_t id = 0; id < stacks->count; id++)
		node_of[id] = stacks->at[id].samples ? 0 : UINT32_MAX;
	for (uint32_t id = (uint32_t)stacks->count; id-- > STACK_ROOT_COUNT;)
		if (node_of[id] != UINT32_MAX)
			node_of[parent_of(model, id)] = 0;
}

/*
 * Sets the node of each stack root. The frames of a stack that was not cut are added below the
 * tree's root. The frames of a stack that was cut are added below a node that gives the reason.
 */
static int add_roots(struct builder *builder, const struct stack_counts *stacks)
{
	for (uint32_t root = 0; root < STACK_ROOT_COUNT; root++) {
		uint32_t *node = &builder->node_of[root];

		if (root == STACK_ROOT_END && !stacks->at[root].samples)
			*node = CALL_TREE_ROOT;
		else if (*node != UINT32_MAX &&
			 find_child(builder, CALL_TREE_ROOT,
				    call_frame_of_root((enum stack_root)root), node) < 0)
			return -ENOMEM;
	}
	return 0;
}

/*
 * Adds the nodes of a location's frames, from the outermost inwards. *ret_node is the node of the
 * innermost frame.
 */
static int add_frames(struct builder *builder, uint32_t parent, uint32_t location,
		      uint32_t *ret_node)
{
	uint64_t frames[CALL_FRAMES_MAX];
	size_t left = call_frames_of(builder->tree->profile, location, frames);
	size_t end = left > 1 && builder->tree->nodes.count >= builder->inlined_max ? left - 1 : 0;

	builder->tree->cut = builder->tree->cut || end;
	while (left-- > end) {
		if (find_child(builder, parent, frames[left], ret_node) < 0)
			return -ENOMEM;
		parent = *ret_node;
	}
	return 0;
}

static void add_self(struct call_node *node, const struct stack_counts *stacks, uint32_t id)
{
	if (stacks->at[id].samples)
		node->self_context = stacks->contexts[id];
	count_add(&node->self, &stacks->at[id]);
}

static int add_paths(struct builder *builder, const struct stack_counts *stacks)
{
	const struct model *model = builder->model;
	int rc = add_roots(builder, stacks);

	if (rc < 0)
		return rc;
	for (uint32_t id = 0; id < stacks->count; id++) {
		uint32_t *node = &builder->node_of[id];

		if (*node == UINT32_MAX)
			continue;
		if (id >= STACK_ROOT_COUNT) {
			uint32_t outer = parent_of(model, id);
			uint32_t parent = outer == STACK_ROOT_END ? CALL_TREE_ROOT
								  : builder->node_of[outer];

			rc = add_frames(builder, parent, model->stacks.at[id].location, node);
			if (rc < 0)
				return rc;
		}
		add_self(&builder->tree->nodes.at[*node], stacks, id);
	}
	return 0;
}

static void add_totals(struct call_tree *tree)
{
	for (size_t i = tree->nodes.count; i-- > 0;) {
		struct call_node *node = &tree->nodes.at[i];

		count_add(&node->total, &node->self);
		if (i != CALL_TREE_ROOT)
			count_add(&tree->nodes.at[node->parent].total, &node->total);
	}
}

static void builder_fini(struct builder *builder)
{
	slots_fini(&builder->slots);
	free(builder->node_of);
}

static int build(struct call_tree *tree, const struct call_tree_options *options)
{
	const struct stack_counts *stacks = &tree->profile->stacks;
	_cleanup_(builder_fini) struct builder builder = {
		.tree = tree,
		.model = tree->profile->model,
		.node_of = calloc(stacks->count + 1, sizeof(uint32_t)),
		.inlined_max = call_tree_nodes_max(options),
	};
	int rc;

	if (!builder.node_of)
		return -ENOMEM;
	mark_paths(stacks, builder.model, builder.node_of);
	rc = add_paths(&builder, stacks);
	if (rc < 0)
		return rc;
	add_totals(tree);
	return 0;
}

/* ---- order ---- */

struct ranked {
	uint64_t rank, frame;
	uint32_t node;
};

/* Sorts by rank, lowest first; ties are sorted by frame so that output is stable. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	if (left->frame != right->frame)
		return left->frame > right->frame ? -1 : 1;
	return (left->node < right->node) - (left->node > right->node);
}

static struct ranked *rank_nodes(const struct call_tree *tree)
{
	struct ranked *list = calloc(tree->nodes.count + 1, sizeof(*list));

	for (uint32_t i = 0; list && i < tree->nodes.count; i++)
		list[i] = (struct ranked){ call_node_rank(tree, i), tree->nodes.at[i].frame, i };
	if (list)
		qsort(list, tree->nodes.count, sizeof(*list), compare_ranked);
	return list;
}

static int link_children(struct call_tree *tree)
{
	_cleanup_free_ struct ranked *list = rank_nodes(tree);

	for (size_t i = 0; list && i < tree->nodes.count; i++) {
		struct call_node *node = &tree->nodes.at[list[i].node];
		struct call_node *parent = &tree->nodes.at[node->parent];

		if (node == parent)
			continue;
		node->next_sibling = parent->first_child;
		parent->first_child = list[i].node;
	}
	return list ? 0 : -ENOMEM;
}

/* ---- making a tree ---- */

static int begin(const struct profile *profile, bool bottom_up, struct call_tree *ret_tree)
{
	*ret_tree = (struct call_tree){
		.profile = profile,
		.event = profile->stacks.event,
		.by_weight = group_goes_by_weight(profile, profile->stacks.event),
		.bottom_up = bottom_up,
	};
	return call_tree_add(ret_tree, CALL_TREE_ROOT, CALL_FRAME_ALL) ? 0 : -ENOMEM;
}

static int build_bottom_up(struct call_tree *tree, const struct call_tree_options *options)
{
	_cleanup_(call_tree_fini) struct call_tree top_down = { 0 };
	int rc = begin(tree->profile, false, &top_down);

	if (rc < 0)
		return rc;
	rc = build(&top_down, options);
	if (rc < 0)
		return rc;
	tree->cut = top_down.cut;
	return call_tree_invert(&top_down, options, tree);
}

int call_tree_make(const struct profile *profile, const struct call_tree_options *options,
		   struct call_tree *ret_tree)
{
	int rc = begin(profile, options->bottom_up, ret_tree);

	if (rc < 0)
		return rc;
	rc = options->bottom_up ? build_bottom_up(ret_tree, options) : build(ret_tree, options);
	if (rc < 0)
		return rc;
	return link_children(ret_tree);
}

void call_tree_fini(struct call_tree *tree)
{
	vec_free(&tree->nodes);
}

/* ---- using a tree ---- */

uint32_t call_tree_next(const struct call_tree *tree, uint32_t node, const bool *selected)
{
	const struct call_node *nodes = tree->nodes.at;

	if (nodes[node].first_child && (!selected || selected[node]))
		return nodes[node].first_child;
	while (node != CALL_TREE_ROOT && !nodes[node].next_sibling)
		node = nodes[node].parent;
	return nodes[node].next_sibling;
}

/*
 * Sorts by rank, highest first. A parent never has a lower rank than its child. Nodes with equal
 * ranks are sorted by index, so a parent always comes before its children.
 */
static int compare_worth(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank > right->rank ? -1 : 1;
	return (left->node > right->node) - (left->node < right->node);
}

bool *call_tree_select(const struct call_tree *tree, uint64_t min_rank, uint32_t depth_max,
		       size_t limit)
{
	_cleanup_free_ bool *selected = calloc(tree->nodes.count + 1, sizeof(bool));
	_cleanup_free_ struct ranked *list = calloc(tree->nodes.count + 1, sizeof(*list));
	size_t count = 0;

	if (!selected || !list)
		return NULL;
	for (uint32_t i = 0; i < tree->nodes.count; i++)
		if (call_node_rank(tree, i) >= min_rank &&
		    (!depth_max || tree->nodes.at[i].depth <= depth_max))
			list[count++] = (struct ranked){ .rank = call_node_rank(tree, i),
							 .node = i };
	qsort(list, count, sizeof(*list), compare_worth);
	for (size_t i = 0; i < count && (!limit || i < limit); i++)
		selected[list[i].node] = true;
	return TAKE_PTR(selected);
}
