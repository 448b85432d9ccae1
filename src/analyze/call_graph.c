/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/call_graph.h"

#include "analyze/call_cycles.h"
#include "analyze/slots.h"
#include "base/cleanup.h"

struct maker {
	const struct call_tree *tree;
	struct call_graph *graph;
	struct slots slots;		/* index of the vertices, by frame */
	uint32_t *vertex_of;		/* vertex of each node of the tree */
	/*
	 * cycle of each vertex, 0: none; cycles are numbered in the order in which they were found
	 */
	uint32_t *cycle_of;
	size_t function_count;		/* number of vertices that are not cycles */
	struct call_flow flow;		/* by function */
	/*
	 * like flow, but all functions of a cycle are one vertex; these vertices come after all
	 * others
	 */
	struct call_flow cycles;
};

/* ---- vertices ---- */

struct search {
	const struct call_vertex *vertices;
	uint64_t frame;
};

static inline bool same_frame(size_t row, const void *arg)
{
	const struct search *search = arg;

	return search->vertices[row].frame == search->frame;
}

static int find_vertex(struct maker *maker, uint64_t frame, uint32_t *ret_vertex)
{
	struct call_graph *graph = maker->graph;
	struct search search = { graph->vertices.at, frame };
	uint64_t hash = slots_hash(frame, 0);
	uint64_t *slot = slots_find(&maker->slots, hash, same_frame, &search);
	struct call_vertex *vertex;

	if (!slot)
		return -ENOMEM;
	if (!*slot) {
		vertex = vec_push(&graph->vertices);
		if (!vertex)
			return -ENOMEM;
		vertex->frame = frame;
		vertex->kind = call_frame_is_function(frame) ? CALL_FUNCTION : CALL_CUT;
		slots_fill(&maker->slots, slot, hash, graph->vertices.count - 1);
	}
	*ret_vertex = (uint32_t)slots_row(slot);
	return 0;
}

static int number_vertices(struct maker *maker)
{
	const struct call_tree *tree = maker->tree;

	maker->vertex_of = calloc(tree->nodes.count, sizeof(uint32_t));
	if (!maker->vertex_of)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nodes.count; i++) {
		int rc = find_vertex(maker, tree->nodes.at[i].frame, &maker->vertex_of[i]);

		if (rc < 0)
			return rc;
	}
	maker->graph->vertices.at[CALL_GRAPH_OUTSIDE].kind = CALL_OUTSIDE;
	maker->function_count = maker->graph->vertices.count;
	return 0;
}

/* ---- cycles ---- */

static int find_cycles(struct maker *maker)
{
	const struct call_flow *flow = &maker->flow;
	_cleanup_free_ struct call_edge *edges = calloc(flow->arcs.count + 1, sizeof(*edges));
	int64_t count;

	maker->cycle_of = calloc(maker->function_count, sizeof(uint32_t));
	if (!edges || !maker->cycle_of)
		return -ENOMEM;
	for (size_t i = 0; i < flow->arcs.count; i++)
		edges[i] = (struct call_edge){ flow->arcs.at[i].caller, flow->arcs.at[i].callee };
	count = call_cycles_find(edges, flow->arcs.count, maker->cycle_of, maker->function_count);
	if (count < 0)
		return (int)count;
	maker->graph->cycle_count = (uint32_t)count;
	return 0;
}

static uint32_t vertex_of_cycle(const struct maker *maker, uint32_t cycle)
{
	return (uint32_t)maker->function_count + cycle - 1;
}

/* Walks the tree again, treating all members of a cycle as one vertex. */
static int flow_cycles(struct maker *maker)
{
	const struct call_tree *tree = maker->tree;
	struct call_graph *graph = maker->graph;
	_cleanup_free_ uint32_t *vertex_of = NULL;

	if (!graph->cycle_count)
		return 0;
	vertex_of = calloc(tree->nodes.count, sizeof(*vertex_of));
	if (!vertex_of)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nodes.count; i++) {
		uint32_t cycle = maker->cycle_of[maker->vertex_of[i]];

		vertex_of[i] = cycle ? vertex_of_cycle(maker, cycle) : maker->vertex_of[i];
	}
	for (uint32_t i = 0; i < graph->cycle_count; i++) {
		struct call_vertex *vertex = vec_push(&graph->vertices);

		if (!vertex)
			return -ENOMEM;
		*vertex = (struct call_vertex){ .kind = CALL_CYCLE, .frame = CALL_FRAME_ALL };
	}
	return call_flow_make(tree, vertex_of, graph->vertices.count, &maker->cycles);
}

static int compare_ranks(const struct call_graph *graph, const struct count *a,
			 const struct count *b)
{
	uint64_t left = call_graph_rank(graph, a), right = call_graph_rank(graph, b);

	return (left < right) - (left > right);
}

static int compare_vertices(const void *a, const void *b, void *arg)
{
	const struct call_graph *graph = arg;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	int order = compare_ranks(graph, &graph->vertices.at[left].total,
				  &graph->vertices.at[right].total);

	return order ? order : (left > right) - (left < right);
}

/* Numbers the cycles in order of their rank. */
static int number_cycles(struct maker *maker)
{
	struct call_graph *graph = maker->graph;
	_cleanup_free_ uint32_t *order = calloc(graph->cycle_count + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->cycle_count; i++)
		order[i] = vertex_of_cycle(maker, i + 1);
	qsort_r(order, graph->cycle_count, sizeof(*order), compare_vertices, graph);
	for (uint32_t i = 0; i < graph->cycle_count; i++)
		graph->vertices.at[order[i]].cycle = i + 1;
	for (size_t i = 0; i < maker->function_count; i++)
		if (maker->cycle_of[i])
			graph->vertices.at[i].cycle =
				graph->vertices.at[vertex_of_cycle(maker, maker->cycle_of[i])]
					.cycle;
	return 0;
}

/* ---- figures ---- */

static void take_figures(struct call_vertex *vertex, const struct call_flow_vertex *flow)
{
	vertex->self = flow->self;
	vertex->total = flow->total;
	vertex->recursive = flow->recursive;
}

static void take_all_figures(struct maker *maker)
{
	struct call_graph *graph = maker->graph;

	for (size_t i = 0; i < graph->vertices.count; i++)
		take_figures(&graph->vertices.at[i], i < maker->function_count
							     ? &maker->flow.vertices.at[i]
							     : &maker->cycles.vertices.at[i]);
}

/* ---- lines ---- */

struct draft {
	uint32_t owner;
	bool is_callee;
	struct call_line line;
};

struct drafts {
	const struct call_graph *graph;
	VEC(struct draft) list;
};

static int compare_drafts(const void *a, const void *b, void *graph)
{
	const struct draft *left = a, *right = b;
	int order;

	if (left->owner != right->owner)
		return left->owner < right->owner ? -1 : 1;
	if (left->is_callee != right->is_callee)
		return left->is_callee ? 1 : -1;
	order = compare_ranks(graph, &left->line.total, &right->line.total);
	if (order)
		return order;
	return (left->line.vertex > right->line.vertex) - (left->line.vertex < right->line.vertex);
}

static int add_draft(struct drafts *drafts, uint32_t owner, bool is_callee, uint32_t other,
		     const struct call_part *part)
{
	struct draft *draft = vec_push(&drafts->list);

	if (!draft)
		return -ENOMEM;
	*draft = (struct draft){ owner, is_callee, { other, part->self, part->total } };
	return 0;
}

static int draft_functions(struct maker *maker, struct drafts *drafts)
{
	for (size_t i = 0; i < maker->flow.arcs.count; i++) {
		const struct call_arc *arc = &maker->flow.arcs.at[i];

		if (add_draft(drafts, arc->callee, false, arc->caller, &arc->by_callee) < 0 ||
		    add_draft(drafts, arc->caller, true, arc->callee, &arc->by_caller) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int draft_cycles(struct maker *maker, struct drafts *drafts)
{
	for (size_t i = 0; i < maker->cycles.arcs.count; i++) {
		const struct call_arc *arc = &maker->cycles.arcs.at[i];

		if (arc->callee >= maker->function_count &&
		    add_draft(drafts, arc->callee, false, arc->caller, &arc->by_callee) < 0)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < maker->function_count; i++) {
		const struct call_flow_vertex *member = &maker->flow.vertices.at[i];
		const struct call_part part = { member->self, member->total };

		if (maker->cycle_of[i] &&
		    add_draft(drafts, vertex_of_cycle(maker, maker->cycle_of[i]), true, i, &part) <
			    0)
			return -ENOMEM;
	}
	return 0;
}

static int place_lines(struct call_graph *graph, const struct drafts *drafts)
{
	if (vec_reserve(&graph->lines, drafts->list.count) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < drafts->list.count; i++) {
		const struct draft *draft = &drafts->list.at[i];
		struct call_vertex *vertex = &graph->vertices.at[draft->owner];
		uint32_t *first = draft->is_callee ? &vertex->callees : &vertex->callers;
		uint32_t *count = draft->is_callee ? &vertex->callee_count : &vertex->caller_count;

		if (!(*count)++)
			*first = i;
		graph->lines.at[graph->lines.count++] = draft->line;
	}
	return 0;
}

static void drafts_fini(struct drafts *drafts)
{
	vec_free(&drafts->list);
}

static int make_lines(struct maker *maker)
{
	_cleanup_(drafts_fini) struct drafts drafts = { .graph = maker->graph };
	int rc = draft_functions(maker, &drafts);

	if (rc < 0)
		return rc;
	rc = draft_cycles(maker, &drafts);
	if (rc < 0)
		return rc;
	if (drafts.list.count)
		qsort_r(drafts.list.at, drafts.list.count, sizeof(struct draft), compare_drafts,
			maker->graph);
	return place_lines(maker->graph, &drafts);
}

/* ---- making a graph ---- */

static int make(struct maker *maker)
{
	int rc = number_vertices(maker);

	if (rc < 0)
		return rc;
	rc = call_flow_make(maker->tree, maker->vertex_of, maker->function_count, &maker->flow);
	if (rc < 0)
		return rc;
	rc = find_cycles(maker);
	if (rc < 0)
		return rc;
	rc = flow_cycles(maker);
	if (rc < 0)
		return rc;
	take_all_figures(maker);
	rc = number_cycles(maker);
	if (rc < 0)
		return rc;
	return make_lines(maker);
}

static void maker_fini(struct maker *maker)
{
	slots_fini(&maker->slots);
	call_flow_fini(&maker->flow);
	call_flow_fini(&maker->cycles);
	free(maker->vertex_of);
	free(maker->cycle_of);
}

int call_graph_make(const struct call_tree *top_down, struct call_graph *ret_graph)
{
	_cleanup_(maker_fini) struct maker maker = { .tree = top_down, .graph = ret_graph };

	*ret_graph = (struct call_graph){ .tree = top_down };
	return make(&maker);
}

void call_graph_fini(struct call_graph *graph)
{
	vec_free(&graph->vertices);
	vec_free(&graph->lines);
}

/* ---- order ---- */

static const char *name_of(const struct call_graph *graph, uint32_t vertex,
			   char scratch[static GROUP_IMAGE_NAME_MAX])
{
	return call_frame_name(graph->tree->profile, graph->vertices.at[vertex].frame, scratch);
}

static int compare_totals(const void *a, const void *b, void *arg)
{
	const struct call_graph *graph = arg;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct call_vertex *vertices = graph->vertices.at;
	int order = compare_ranks(graph, &vertices[left].total, &vertices[right].total);

	if (order)
		return order;
	if (vertices[left].kind != vertices[right].kind)
		return vertices[left].kind == CALL_CYCLE ? -1 : 1;
	return (left > right) - (left < right);
}

static int compare_selves(const void *a, const void *b, void *arg)
{
	const struct call_graph *graph = arg;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	int order = compare_ranks(graph, &graph->vertices.at[left].self,
				  &graph->vertices.at[right].self);

	return order ? order : compare_totals(a, b, arg);
}

static int compare_names(const void *a, const void *b, void *arg)
{
	char left[GROUP_IMAGE_NAME_MAX], right[GROUP_IMAGE_NAME_MAX];
	int order = strcmp(name_of(arg, *(const uint32_t *)a, left),
			   name_of(arg, *(const uint32_t *)b, right));

	return order ? order : compare_totals(a, b, arg);
}

uint32_t *call_graph_order(const struct call_graph *graph, enum call_order order, size_t *ret_count)
{
	static int (*const compare[])(const void *, const void *, void *) = {
		[CALL_BY_TOTAL] = compare_totals,
		[CALL_BY_SELF] = compare_selves,
		[CALL_BY_NAME] = compare_names,
	};
	uint32_t *list = calloc(graph->vertices.count + 1, sizeof(*list));
	size_t count = 0;

	if (!list)
		return NULL;
	for (uint32_t i = 0; i < graph->vertices.count; i++) {
		enum call_kind kind = graph->vertices.at[i].kind;

		if (kind == CALL_FUNCTION || (kind == CALL_CYCLE && order == CALL_BY_TOTAL))
			list[count++] = i;
	}
	qsort_r(list, count, sizeof(*list), compare[order], (void *)(uintptr_t)graph);
	*ret_count = count;
	return list;
}
