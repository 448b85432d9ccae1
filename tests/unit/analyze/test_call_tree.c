/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include "analyze/call_tree.h"
#include "tests/unit/analyze/call_fixture.h"

#define DEEP 70000

/* @expected is "depth:name self/total" of each node in order, separated by blanks. */
static void assert_tree(const struct call_fixture *f, const struct call_tree *tree,
			const bool *selected, const char *expected)
{
	char text[1024] = "";
	size_t used = 0;

	for (uint32_t node = call_tree_next(tree, CALL_TREE_ROOT, selected); node;
	     node = call_tree_next(tree, node, selected)) {
		const struct call_node *at = &tree->nodes.at[node];

		if (selected && !selected[node])
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u:%s %u/%u",
					 used ? " " : "", at->depth, call_name(f, at->frame),
					 (unsigned int)at->self.samples,
					 (unsigned int)at->total.samples);
	}
	assert_string_equal(text, expected);
}

static void assert_made(const struct call_fixture *f, const struct call_tree_options *options,
			const char *expected)
{
	struct call_tree tree;

	assert_int_equal(call_tree_make(&f->profile, options, &tree), 0);
	assert_tree(f, &tree, NULL, expected);
	for (uint32_t i = 1; i < tree.nodes.count; i++)
		assert_true(tree.nodes.at[i].parent < i);
	call_tree_fini(&tree);
}

static const struct call_tree_options top_down, bottom_up = { .bottom_up = true };

/*
 * Adds samples at another address of the same function. The two share one node, and so do the paths
 * through them.
 */
static void split_function(struct call_fixture *f, const char *name)
{
	struct model *model = &f->maker.model;
	uint32_t stack = call_stack(f, name);
	const struct location *from = &model->locations.at[model->stacks.at[stack].location];
	uint32_t image = from->image, function = from->function;
	uint32_t location = model_location_id(model, image, from->vaddr + 1);

	model->locations.at[location].function = function;
	stack = model_stack_id(model, model->stacks.at[stack].parent, location);
	maker_samples(&f->maker,
		      &(struct maker_run){ .thread = f->thread, .stack = stack, .count = 5 });
}

static void test_top_down(void **state)
{
	struct call_fixture f;

	call_begin(&f);
	call_sample(&f, "main", 1);
	call_sample(&f, "main read vfs", 3);
	call_sample(&f, "main write", 4);
	split_function(&f, "main read");
	call_sample(&f, "start vfs", 2);
	call_tally(&f, NULL);
	assert_made(&f, &top_down,
		    "1:main 1/13 2:read 5/8 3:vfs 3/3 2:write 4/4 1:start 0/2 2:vfs 2/2");
	call_end(&f);
}

/* A node's own samples are those of the stacks that end at it. */
static void test_bottom_up(void **state)
{
	struct call_fixture f;

	call_begin(&f);
	call_sample(&f, "main", 1);
	call_sample(&f, "main read vfs", 3);
	call_sample(&f, "main write vfs", 4);
	call_sample(&f, "vfs", 2);
	call_tally(&f, NULL);
	assert_made(&f, &bottom_up,
		    "1:vfs 2/9 2:write 0/4 3:main 4/4 2:read 0/3 3:main 3/3 1:main 1/1");
	assert_made(&f, &(struct call_tree_options){ .bottom_up = true, .min_rank = 4 },
		    "1:vfs 2/9 2:write 0/4 3:main 4/4 2:read 0/3 1:main 1/1");
	assert_made(&f, &(struct call_tree_options){ .bottom_up = true, .depth_max = 1 },
		    "1:vfs 2/9 1:main 1/1");
	call_end(&f);
}

static void test_recursion(void **state)
{
	struct call_fixture f;

	call_begin(&f);
	call_sample(&f, "main fib", 1);
	call_sample(&f, "main fib fib", 2);
	call_sample(&f, "main fib fib fib", 4);
	call_tally(&f, NULL);
	assert_made(&f, &top_down, "1:main 0/7 2:fib 1/7 3:fib 2/6 4:fib 4/4");
	assert_made(&f, &bottom_up,
		    "1:fib 0/7 2:fib 0/6 3:fib 0/4 4:main 4/4 3:main 2/2 2:main 1/1");
	call_end(&f);
}

/* Cut stacks get nodes of their own, separate from the functions in which threads begin. */
static void test_cut_stacks(void **state)
{
	struct call_fixture f;

	call_begin(&f);
	call_sample(&f, "main", 9);
	call_sample(&f, "~ deep deeper", 4);
	call_sample(&f, "? lost", 3);
	call_sample(&f, "?", 2);
	call_sample(&f, "- leaf", 1);
	call_tally(&f, NULL);
	assert_made(&f, &top_down,
		    "1:main 9/9 1:<broken stack> 2/5 2:lost 3/3 1:<truncated stack> 0/4 2:deep 0/4 "
		    "3:deeper 4/4 1:<stack not recorded> 0/1 2:leaf 1/1");
	assert_made(&f, &bottom_up,
		    "1:main 9/9 1:deeper 0/4 2:deep 0/4 3:<truncated stack> 4/4 1:lost 0/3 "
		    "2:<broken stack> 3/3 1:<broken stack> 2/2 1:leaf 0/1 "
		    "2:<stack not recorded> 1/1");
	call_end(&f);
}

/* Idle time is left out, only the first event's samples count, and filters apply. */
static void test_what_counts(void **state)
{
	struct filter filter = FILTER_INIT;
	struct call_fixture f;

	call_begin(&f);
	*vec_push(&f.maker.model.events) = f.maker.model.events.at[0];
	f.event = 1;
	call_sample(&f, "main other", 50);
	f.event = 0;
	call_sample(&f, "main", 5);
	call_sample(&f, "start read", 2);
	f.context = CONTEXT_IDLE;
	call_sample(&f, "idle", 20);
	call_tally(&f, NULL);
	assert_made(&f, &top_down, "1:main 5/5 1:start 0/2 2:read 2/2");
	assert_int_equal(f.profile.stacks.idle_samples, 20);
	profile_fini(&f.profile);
	assert_int_equal(filter_add(&filter, "context", "idle", NULL), 0);
	call_tally(&f, &filter);
	assert_made(&f, &top_down, "1:idle 20/20");
	profile_fini(&f.profile);
	filter_fini(&filter);
	filter = (struct filter)FILTER_INIT;
	assert_int_equal(filter_add(&filter, "symbol", "read,other", NULL), 0);
	call_tally(&f, &filter);
	assert_made(&f, &top_down, "1:start 0/2 2:read 2/2");
	filter_fini(&filter);
	call_end(&f);
}

/*
 * The same stacks in two applications are two paths. Frames that are no functions are in a group,
 * too, and idle samples are not.
 */
static void test_groups(void **state)
{
	static const struct call_tree_options by_application = { .grouped = true,
								 .group = BY_APPLICATION };
	static const struct call_tree_options by_context = { .grouped = true, .group = BY_CONTEXT };
	struct call_fixture f;

	call_begin(&f);
	f.stacks_apart = true;
	call_sample(&f, "main read", 3);
	call_sample(&f, "main", 1);
	f.context = CONTEXT_IDLE;
	call_sample(&f, "main read", 50);
	f.context = CONTEXT_SYSCALL;
	f.thread = maker_thread(&f.maker, "other", 200, false);
	call_sample(&f, "main read", 7);
	call_sample(&f, "? lost", 2);
	call_sample(&f, ".", 1);
	call_tally(&f, NULL);
	assert_made(&f, &by_application,
		    "1:other 0/10 2:main 0/7 3:read 7/7 2:<broken stack> 0/2 3:lost 2/2 "
		    "2:<no frame> 1/1 1:program 0/4 2:main 1/4 3:read 3/3");
	assert_made(&f, &by_context,
		    "1:syscall 0/10 2:main 0/7 3:read 7/7 2:<broken stack> 0/2 3:lost 2/2 "
		    "2:<no frame> 1/1 1:user 0/4 2:main 1/4 3:read 3/3");
	/* no room for all stacks: the others count in their group */
	assert_made(&f,
		    &(struct call_tree_options){
			    .grouped = true, .group = BY_APPLICATION, .nodes_max = 3 },
		    "1:other 10/10 1:program 1/4 2:main 0/3 3:read 3/3");
	call_end(&f);
}

static void test_select(void **state)
{
	struct call_fixture f;
	struct call_tree tree;
	bool *selected;

	call_begin(&f);
	call_sample(&f, "main", 1);
	call_sample(&f, "main read vfs", 3);
	call_sample(&f, "main write", 4);
	call_tally(&f, NULL);
	assert_int_equal(call_tree_make(&f.profile, &top_down, &tree), 0);
	assert_int_equal(call_tree_total(&tree)->samples, 8);
	selected = call_tree_select(&tree, 4, 0, 0);
	assert_tree(&f, &tree, selected, "1:main 1/8 2:write 4/4");
	free(selected);
	selected = call_tree_select(&tree, 0, 1, 0);
	assert_tree(&f, &tree, selected, "1:main 1/8");
	free(selected);
	selected = call_tree_select(&tree, 0, 0, 4);	/* the root counts as one of the 4 */
	assert_tree(&f, &tree, selected, "1:main 1/8 2:write 4/4 2:read 0/3");
	free(selected);
	call_tree_fini(&tree);
	call_end(&f);
}

/* If samples have different weights, order and rank follow the weight. */
static void test_weight(void **state)
{
	struct call_fixture f;
	struct call_tree tree;

	call_begin(&f);
	f.maker.model.events.at[0].frequency_hz = 1000;
	call_sample(&f, "a", 3);
	call_sample(&f, "b", 1);
	f.maker.batch.samples.at[3].weight = 9 * MAKER_PERIOD_NS;
	call_tally(&f, NULL);
	assert_int_equal(call_tree_make(&f.profile, &top_down, &tree), 0);
	assert_true(tree.by_weight);
	assert_tree(&f, &tree, NULL, "1:b 1/1 1:a 3/3");
	assert_true(call_tree_total(&tree)->squares == 84.0 * MAKER_PERIOD_NS * MAKER_PERIOD_NS);
	call_tree_fini(&tree);
	call_end(&f);
}

/*
 * A forged file: stacks that refer to nonexistent rows, and one that is as deep as the file is
 * long.
 */
static void test_hostile(void **state)
{
	struct call_fixture f;
	struct call_tree tree;
	uint32_t stack, location;

	call_begin(&f);
	stack = call_stack(&f, "down");
	location = f.maker.model.stacks.at[stack].location;
	for (uint32_t i = 0; i < DEEP; i++) {
		stack = model_stack_id(&f.maker.model, stack, location);
		if (i % 35 == 0)
			maker_samples(&f.maker, &(struct maker_run){ .thread = f.thread,
								     .stack = stack,
								     .count = 1 });
	}
	stack = call_stack(&f, "round");
	f.maker.model.stacks.at[stack].parent = stack;
	f.maker.model.stacks.at[stack].location = UINT32_MAX;
	call_sample(&f, "round and", 1);
	call_tally(&f, NULL);
	for (int i = 0; i < 2; i++) {
		const struct call_tree_options options = { .bottom_up = i == 1 };

		assert_int_equal(call_tree_make(&f.profile, &options, &tree), 0);
		assert_int_equal(call_tree_total(&tree)->samples, DEEP / 35 + 1);
		assert_true(tree.nodes.count > DEEP / 2);
		assert_int_equal(tree.cut, i == 1);
		call_tree_fini(&tree);
	}
	call_end(&f);
}

static void test_empty(void **state)
{
	struct call_fixture f;

	call_begin(&f);
	call_tally(&f, NULL);
	assert_made(&f, &top_down, "");
	assert_made(&f, &bottom_up, "");
	call_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_down),    cmocka_unit_test(test_bottom_up),
		cmocka_unit_test(test_recursion),   cmocka_unit_test(test_cut_stacks),
		cmocka_unit_test(test_what_counts), cmocka_unit_test(test_select),
		cmocka_unit_test(test_weight),	    cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_empty),	    cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
