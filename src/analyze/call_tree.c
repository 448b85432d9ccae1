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
	uint32_t top;		/* node above all stacks: the root, or a group */
	/* by stack id: node of the stack below @top; UINT32_MAX: not added yet */
	uint32_t *node_of;
	VEC(uint32_t) added;	/* stacks that have a node in @node_of */
	VEC(uint32_t) missing;	/* scratch: stacks from one that has no node outwards */
	/* once the tree has this many nodes, only what call_tree.h says is added */
	size_t nodes_max;
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
 * Adds the nodes of a location's frames, from the outermost inwards. *ret_node is the node of the
 * innermost frame.
 */
static int add_frames(struct builder *builder, uint32_t parent, uint32_t location,
		      uint32_t *ret_node)
{
	uint64_t frames[CALL_FRAMES_MAX];
	size_t left = call_frames_of(builder->tree->profile, location, frames);
	size_t end = left > 1 && builder->tree->nodes.count >= builder->nodes_max ? left - 1 : 0;

	builder->tree->cut = builder->tree->cut || end;
	while (left-- > end) {
		if (find_child(builder, parent, frames[left], ret_node) < 0)
			return -ENOMEM;
		parent = *ret_node;
	}
	return 0;
}

/*
 * Finds the node of a stack that has no caller. The frames of a stack that was not cut are added
 * below the top. The frames of a stack that was cut are added below a node that gives the reason.
 */
static int find_root(struct builder *builder, uint32_t root, uint32_t *ret_node)
{
	*ret_node = builder->top;
	if (root == STACK_ROOT_END)
		return 0;
	return find_child(builder, builder->top, call_frame_of_root((enum stack_root)root),
			  ret_node);
}

static int note_node(struct builder *builder, uint32_t stack, uint32_t node)
{
	uint32_t *added = vec_push(&builder->added);

	if (!added)
		return -ENOMEM;
	*added = stack;
	builder->node_of[stack] = node;
	return 0;
}

/* Adds the nodes of a stack and of the stacks that it is an extension of, if they are missing. */
static int find_stack(struct builder *builder, uint32_t stack, uint32_t *ret_node)
{
	uint32_t at = stack, node;
	int rc = 0;

	builder->missing.count = 0;
	while (at >= STACK_ROOT_COUNT && builder->node_of[at] == UINT32_MAX) {
		uint32_t *missing = vec_push(&builder->missing);

		if (!missing)
			return -ENOMEM;
		*missing = at;
		at = parent_of(builder->model, at);
	}
	node = builder->node_of[at];
	if (at < STACK_ROOT_COUNT)
		rc = find_root(builder, at, &node);
	for (size_t i = builder->missing.count; rc == 0 && i-- > 0;) {
		at = builder->missing.at[i];
		rc = add_frames(builder, node, builder->model->stacks.at[at].location, &node);
		if (rc == 0)
			rc = note_node(builder, at, node);
	}
	*ret_node = node;
	return rc;
}

static int add_stack(struct builder *builder, uint32_t stack, uint8_t context,
		     const struct count *count)
{
	struct call_node *node;
	uint32_t id;
	int rc;

	if (stack == STACK_ROOT_END)	/* no frames at all */
		rc = find_child(builder, builder->top, call_frame_of_root(STACK_ROOT_END), &id);
	else
		rc = find_stack(builder, stack, &id);
	if (rc < 0)
		return rc;
	node = &builder->tree->nodes.at[id];
	if (count->samples)
		node->self_context = context;
	count_add(&node->self, count);
	return 0;
}

static int add_all(struct builder *builder)
{
	const struct stack_counts *stacks = &builder->tree->profile->stacks;

	for (uint32_t id = 0; id < stacks->count; id++) {
		int rc = stacks->at[id].samples
				 ? add_stack(builder, id, stacks->contexts[id], &stacks->at[id])
				 : 0;

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- by group ---- */

struct member {
	uint64_t group;
	const struct hit *hit;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *left = a, *right = b;

	if (left->group != right->group)
		return left->group < right->group ? -1 : 1;
	return (left->hit > right->hit) - (left->hit < right->hit);
}

/* Returns the hits that the tree counts, sorted by group. */
static struct member *list_members(const struct call_tree *tree, size_t *ret_count)
{
	const struct profile *profile = tree->profile;
	struct group_selection selection = {
		tree->event,
		profile->stacks.wants_idle ? GROUP_CONTEXTS_ALL : GROUP_CONTEXTS_BUSY,
	};
	struct member *members = calloc(profile->hits.count + 1, sizeof(*members));
	size_t count = 0;

	for (size_t i = 0; members && i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];

		if (group_is_selected(&selection, profile, hit))
			members[count++] = (struct member){
				dimension_key(profile, tree->group, hit), hit
			};
	}
	if (members)
		qsort(members, count, sizeof(*members), compare_members);
	*ret_count = count;
	return members;
}

/* From here on, stacks are added below the node of a group. */
static int begin_group(struct builder *builder, uint64_t group)
{
	uint64_t frame = call_frame_of_group(builder->tree->group, group);

	for (size_t i = 0; i < builder->added.count; i++)
		builder->node_of[builder->added.at[i]] = UINT32_MAX;
	builder->added.count = 0;
	return find_child(builder, CALL_TREE_ROOT, frame, &builder->top);
}

/* Counts samples as those of their group alone, because there is no room for their stacks. */
static void add_to_group(struct builder *builder, const struct count *count)
{
	count_add(&builder->tree->nodes.at[builder->top].self, count);
	builder->tree->cut = true;
}

static int add_groups(struct builder *builder)
{
	size_t count;
	_cleanup_free_ struct member *members = list_members(builder->tree, &count);
	int rc = members ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct hit *hit = members[i].hit;

		if (i == 0 || members[i].group != members[i - 1].group)
			rc = begin_group(builder, members[i].group);
		if (rc == 0 && builder->tree->nodes.count >= builder->nodes_max)
			add_to_group(builder, &hit->count);
		else if (rc == 0)
			rc = add_stack(builder, hit->stack_class, hit->context, &hit->count);
	}
	return rc;
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
	vec_free(&builder->added);
	vec_free(&builder->missing);
	free(builder->node_of);
}

static int build(struct call_tree *tree, const struct call_tree_options *options)
{
	size_t count = tree->profile->stacks.count;
	_cleanup_(builder_fini) struct builder builder = {
		.tree = tree,
		.model = tree->profile->model,
		.top = CALL_TREE_ROOT,
		.node_of = malloc((count + 1) * sizeof(uint32_t)),
		.nodes_max = call_tree_nodes_max(options),
	};
	int rc;

	if (!builder.node_of)
		return -ENOMEM;
	memset(builder.node_of, 0xff, (count + 1) * sizeof(uint32_t));
	rc = tree->grouped ? add_groups(&builder) : add_all(&builder);
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

static int begin(const struct profile *profile, const struct call_tree_options *options,
		 bool bottom_up, struct call_tree *ret_tree)
{
	*ret_tree = (struct call_tree){
		.profile = profile,
		.event = profile->stacks.event,
		.by_weight = group_goes_by_weight(profile, profile->stacks.event),
		.bottom_up = bottom_up,
		.grouped = options->grouped,
		.group = options->group,
	};
	return call_tree_add(ret_tree, CALL_TREE_ROOT, CALL_FRAME_ALL) ? 0 : -ENOMEM;
}

static int build_bottom_up(struct call_tree *tree, const struct call_tree_options *options)
{
	_cleanup_(call_tree_fini) struct call_tree top_down = { 0 };
	int rc = begin(tree->profile, options, false, &top_down);

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
	int rc = begin(profile, options, options->bottom_up, ret_tree);

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
