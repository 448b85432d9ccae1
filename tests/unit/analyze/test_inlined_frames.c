/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locations with inline chains, in trees, graphs and filters. */
#include "tests/support/test.h"

#include "analyze/call_graph.h"
#include "analyze/match.h"
#include "tests/unit/analyze/call_fixture.h"

/* @expected is "depth:name self/total" of each node, with a + after inlined functions. */
static void assert_tree(struct call_fixture *f, bool bottom_up, const char *expected)
{
	const struct call_tree_options options = { .bottom_up = bottom_up };
	struct call_tree tree;
	char text[1024] = "";
	size_t used = 0;

	assert_int_equal(call_tree_make(&f->profile, &options, &tree), 0);
	for (uint32_t node = call_tree_next(&tree, CALL_TREE_ROOT, NULL); node;
	     node = call_tree_next(&tree, node, NULL)) {
		const struct call_node *at = &tree.nodes.at[node];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u:%s%s %u/%u",
					 used ? " " : "", at->depth, call_name(f, at->frame),
					 call_frame_is_inlined(at->frame) ? "+" : "",
					 (unsigned int)at->self.samples,
					 (unsigned int)at->total.samples);
	}
	assert_string_equal(text, expected);
	call_tree_fini(&tree);
}

static void sample_chains(struct call_fixture *f)
{
	call_begin(f);
	call_sample(f, "main f>g>h", 4);
	call_sample(f, "main f>g", 2);
	call_sample(f, "main f", 1);
	call_sample(f, "main f>g callee", 8);
}

static void test_tree(void **state)
{
	struct call_fixture f;

	sample_chains(&f);
	f.inlined = true;
	call_tally(&f, NULL);
	assert_tree(&f, false, "1:main 0/15 2:f 1/15 3:g+ 2/14 4:callee 8/8 4:h+ 4/4");
	assert_tree(&f, true,
		    "1:callee 0/8 2:g+ 0/8 3:f 0/8 4:main 8/8 "
		    "1:h+ 0/4 2:g+ 0/4 3:f 0/4 4:main 4/4 "
		    "1:g+ 0/2 2:f 0/2 3:main 2/2 1:f 0/1 2:main 1/1");
	call_end(&f);
}

static void test_not_asked_for(void **state)
{
	struct call_fixture f;

	sample_chains(&f);
	call_tally(&f, NULL);
	assert_tree(&f, false, "1:main 0/15 2:f 7/15 3:callee 8/8");
	call_end(&f);
}

static const struct call_vertex *vertex_of(const struct call_fixture *f,
					   const struct call_graph *graph, const char *name,
					   bool inlined)
{
	for (uint32_t i = 1; i < graph->vertices.count; i++) {
		uint64_t frame = graph->vertices.at[i].frame;

		if (graph->vertices.at[i].kind == CALL_FUNCTION &&
		    call_frame_is_inlined(frame) == inlined &&
		    strcmp(call_name(f, frame), name) == 0)
			return &graph->vertices.at[i];
	}
	return NULL;
}

/* f calls itself from a function that is inlined in it, and a copy of f is inlined, too. */
static void test_recursion(void **state)
{
	struct call_tree tree;
	struct call_graph graph;
	struct call_fixture f;

	call_begin(&f);
	call_sample(&f, "main f>step f>step f>step>leaf", 4);
	call_sample(&f, "main f>f>step f", 2);
	call_sample(&f, "main", 1);
	f.inlined = true;
	call_tally(&f, NULL);
	assert_int_equal(call_tree_make(&f.profile, &(struct call_tree_options){ 0 }, &tree), 0);
	assert_int_equal(call_graph_make(&tree, &graph), 0);
	assert_int_equal(vertex_of(&f, &graph, "f", false)->total.samples, 6);
	assert_int_equal(vertex_of(&f, &graph, "f", true)->total.samples, 2);
	assert_int_equal(vertex_of(&f, &graph, "step", true)->total.samples, 6);
	assert_int_equal(vertex_of(&f, &graph, "step", true)->recursive.samples, 4);
	assert_int_equal(vertex_of(&f, &graph, "leaf", true)->self.samples, 4);
	assert_int_equal(vertex_of(&f, &graph, "f", false)->self.samples, 2);
	assert_int_equal(graph.cycle_count, 1);
	assert_int_equal(graph.vertices.at[graph.vertices.count - 1].total.samples, 6);
	call_graph_fini(&graph);
	call_tree_fini(&tree);
	call_end(&f);
}

static size_t matching(struct call_fixture *f, const char *symbol, bool inlined)
{
	struct filter filter = FILTER_INIT;
	struct match match;
	size_t count = 0;

	filter.inlined = inlined;
	assert_int_equal(filter_add(&filter, "symbol", symbol, NULL), 0);
	assert_int_equal(match_init(&match, &filter, &f->maker.model, 0), 0);
	for (size_t i = 0; i < f->maker.batch.samples.count; i++)
		count += match_sample(&match, &f->maker.batch.samples.at[i]);
	match_fini(&match);
	filter_fini(&filter);
	return count;
}

static void test_filter(void **state)
{
	struct call_fixture f;

	sample_chains(&f);
	assert_int_equal(matching(&f, "g", false), 0);
	assert_int_equal(matching(&f, "g", true), 14);
	assert_int_equal(matching(&f, "h", true), 4);
	assert_int_equal(matching(&f, "callee", true), 8);
	assert_int_equal(matching(&f, "f", true), 15);
	call_end(&f);
}

/* The outermost frame has the name of the symbol table, unless only the lines have a name. */
static void test_names(void **state)
{
	struct call_fixture f;
	uint64_t frames[CALL_FRAMES_MAX];
	struct model *model = &f.maker.model;
	uint32_t location;

	sample_chains(&f);
	f.inlined = true;
	call_tally(&f, NULL);
	location = model->stacks.at[call_stack(&f, "main f>g>h")].location;
	model->locations.at[location].function = 0;
	assert_int_equal(call_frames_of(&f.profile, location, frames), 3);
	assert_string_equal(call_name(&f, frames[0]), "h");
	assert_string_equal(call_name(&f, frames[2]), "f");
	assert_false(call_frame_is_inlined(frames[2]));
	assert_string_equal(call_frame_image(&f.profile, frames[0]), "/bin/program");
	assert_string_equal(call_frame_mark(frames[0]), " (inlined)");
	assert_string_equal(call_frame_mark(frames[2]), "");
	assert_false(call_frame_is_inlined(CALL_FRAME_ALL));
	assert_false(call_frame_is_inlined(call_frame_of_root(STACK_ROOT_BROKEN)));
	call_end(&f);
}

/*
 * Lines that a damaged recording may contain: a cycle, ids that do not exist, and more frames than
 * fit.
 */
static void test_damaged(void **state)
{
	struct call_fixture f;
	uint64_t frames[CALL_FRAMES_MAX];
	struct model *model = &f.maker.model;
	struct source_line line = { .function = 999999 };
	uint32_t location;

	sample_chains(&f);
	f.inlined = true;
	call_tally(&f, NULL);
	location = model->stacks.at[call_stack(&f, "main f>g>h")].location;
	model->lines.at[model->locations.at[location].line].caller =
		model->locations.at[location].line;
	assert_int_equal(call_frames_of(&f.profile, location, frames), 1);
	assert_string_equal(call_name(&f, frames[0]), "h");
	model->locations.at[location].line = UINT32_MAX;
	assert_int_equal(call_frames_of(&f.profile, location, frames), 1);
	assert_string_equal(call_name(&f, frames[0]), "f");
	for (uint32_t i = 0; i < 2 * CALL_FRAMES_MAX; i++) {
		line.line = i;
		line.caller = model_line_id(model, &line);
	}
	model->locations.at[location].line = line.caller;
	assert_int_equal(call_frames_of(&f.profile, location, frames), CALL_FRAMES_MAX);
	assert_string_equal(call_name(&f, frames[CALL_FRAMES_MAX - 1]), "f");
	assert_string_equal(call_name(&f, frames[0]), "");
	assert_true(call_frame_is_inlined(frames[0]));
	assert_int_equal(call_frames_of(&f.profile, UINT32_MAX, frames), 1);
	assert_int_equal(matching(&f, "g", true), 10);
	call_end(&f);
}

/*
 * The tree of a file can be as large as the product of its lines and stacks. The limit stops it,
 * but keeps the functions that exist.
 */
static void test_too_large(void **state)
{
	static const struct call_tree_options options[] = { { .nodes_max = 8 },
							    { .nodes_max = 10 } };
	struct call_tree tree;
	struct call_fixture f;

	call_begin(&f);
	call_sample(&f, "main f>g>h f>g>h", 4);
	call_sample(&f, "main other f>g>h", 2);
	f.inlined = true;
	call_tally(&f, NULL);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(call_tree_make(&f.profile, &options[i], &tree), 0);
		assert_int_equal(call_tree_total(&tree)->samples, 6);
		assert_int_equal(tree.nodes.count, 10 + 2 * i);
		assert_int_equal(tree.cut, i == 0);
		call_tree_fini(&tree);
	}
	assert_int_equal(
		call_tree_make(&f.profile,
			       &(struct call_tree_options){ .nodes_max = 8,
							    .min_rank = 5 * MAKER_PERIOD_NS,
							    .bottom_up = true },
			       &tree),
		0);
	assert_true(tree.cut);
	call_tree_fini(&tree);
	call_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),	  cmocka_unit_test(test_not_asked_for),
		cmocka_unit_test(test_filter),	  cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
