/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What names become in the model. */
#include "support/test.h"

#include <string.h>

#include "import/import-private.h"
#include "import/named.h"

struct fixture {
	struct model model;
	struct import import;
	struct named named;
	uint32_t image;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	assert_int_equal(model_init(&fixture->model), 0);
	fixture->import.model = &fixture->model;
	fixture->named.import = &fixture->import;
	fixture->image = named_image(&fixture->named, model_intern(&fixture->model, "/bin/x"),
				     IMAGE_UNKNOWN);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	named_fini(&fixture->named);
	sample_batch_fini(&fixture->import.batch);
	model_fini(&fixture->model);
	free(fixture);
	return 0;
}

static uint32_t string(struct fixture *fixture, const char *text)
{
	return named_string(&fixture->named, text, strlen(text));
}

static uint32_t location_at(struct fixture *fixture, const char *name, uint64_t addr,
			    uint64_t offset)
{
	const struct named_line line = { .name = string(fixture, name) };

	return named_location(&fixture->named, &(struct named_place){
						       .image = fixture->image,
						       .has_addr = true,
						       .has_offset = true,
						       .addr = addr,
						       .offset = offset,
						       .lines = &line,
						       .line_count = 1,
					       });
}

/* One instruction is one location, wherever its program was loaded. */
static void test_offsets(void **state)
{
	struct fixture *fixture = *state;
	uint32_t location = location_at(fixture, "f", 0x1010, 0x10);
	const struct location *row;

	assert_int_equal(location_at(fixture, "f", 0x9010, 0x10), location);
	assert_int_not_equal(location_at(fixture, "f", 0x1020, 0x20), location);
	row = &fixture->model.locations.at[location];
	assert_int_equal(row->vaddr, 0x1010);
	assert_int_equal(fixture->model.functions.at[row->function].vaddr, 0x1000);
	/* Two functions that the file has at one address are two locations. */
	assert_int_not_equal(location_at(fixture, "g", 0x1010, 0x8), location);
	assert_int_equal(location_at(fixture, "g", 0x1010, 0x8),
			 location_at(fixture, "g", 0x5010, 0x8));
}

static void test_names_alone(void **state)
{
	struct fixture *fixture = *state;
	const struct named_line f = { .name = string(fixture, "f") },
				g = { .name = string(fixture, "g") };
	struct named_place place = { .image = fixture->image, .lines = &f, .line_count = 1 };
	uint32_t location = named_location(&fixture->named, &place);

	assert_int_equal(named_location(&fixture->named, &place), location);
	assert_int_equal(fixture->model.locations.at[location].line, 0);
	place.lines = &g;
	assert_int_not_equal(named_location(&fixture->named, &place), location);
}

/* The chain of lines leads from the inlined function out to the function that contains the code. */
static void test_inlined(void **state)
{
	struct fixture *fixture = *state;
	const struct model *model = &fixture->model;
	const struct named_line lines[] = {
		{ .name = string(fixture, "inner"), .file = string(fixture, "a.c"), .line = 3 },
		{ .name = string(fixture, "outer"), .file = string(fixture, "b.c"), .line = 7 },
	};
	const struct named_place place = {
		.image = fixture->image,
		.has_addr = true,
		.addr = 0x40,
		.lines = lines,
		.line_count = 2,
	};
	const struct location *row = &model->locations.at[named_location(&fixture->named, &place)];
	const struct source_line *line = &model->lines.at[row->line];

	assert_string_equal(model_string(model, model->functions.at[line->function].name), "inner");
	assert_int_equal(line->line, 3);
	line = &model->lines.at[line->caller];
	assert_int_equal(line->function, row->function);
	assert_string_equal(model_string(model, line->file), "b.c");
	assert_int_equal(line->caller, 0);
}

static void test_stacks(void **state)
{
	struct fixture *fixture = *state;
	struct model *model = &fixture->model;
	uint32_t deep[NAMED_FRAMES_MAX + 1];
	const uint32_t leaf = location_at(fixture, "leaf", 0x10, 0),
		       root = location_at(fixture, "root", 0x20, 0);
	const uint32_t frames[] = { leaf, root, 0, root };
	uint32_t stack = named_stack(&fixture->named, frames, 2, STACK_ROOT_END), outermost;

	assert_int_equal(model->stacks.at[stack].location, leaf);
	assert_int_equal(named_call(&fixture->named, model->stacks.at[stack].parent, leaf), stack);
	stack = model->stacks.at[stack].parent;
	assert_int_equal(model->stacks.at[stack].location, root);
	assert_int_equal(model->stacks.at[stack].parent, STACK_ROOT_END);
	/* The callers of an unknown frame are unknown, too. */
	stack = named_stack(&fixture->named, frames, 4, STACK_ROOT_END);
	assert_int_equal(model->stacks.at[stack].location, leaf);
	assert_int_equal(model_stack_root(model, stack, &outermost), STACK_ROOT_TRUNCATED);
	assert_int_equal(model->stacks.at[outermost].location, root);
	assert_int_equal(named_call(&fixture->named, stack, 0), STACK_ROOT_TRUNCATED);
	/* The sampled address gets a location, even if nothing is known of it. */
	stack = named_stack(&fixture->named, frames + 2, 2, STACK_ROOT_END);
	assert_int_equal(model->locations.at[model->stacks.at[stack].location].function, 0);
	assert_int_equal(model->stacks.at[stack].parent, STACK_ROOT_TRUNCATED);
	stack = named_stack(&fixture->named, NULL, 0, STACK_ROOT_END);
	assert_int_equal(model->stacks.at[stack].parent, STACK_ROOT_END);
	assert_int_equal(model->losses.count[LOSS_STACK_TRUNCATED], 0);
	for (size_t i = 0; i <= NAMED_FRAMES_MAX; i++)
		deep[i] = leaf;
	stack = named_stack(&fixture->named, deep, NAMED_FRAMES_MAX + 1, STACK_ROOT_END);
	assert_int_equal(model_stack_root(model, stack, &stack), STACK_ROOT_TRUNCATED);
	assert_int_equal(model->losses.count[LOSS_STACK_TRUNCATED], 1);
}

/*
 * One long name in very many images. In the recording, each of these functions would repeat the
 * name.
 */
static void test_functions_have_a_budget(void **state)
{
	struct fixture *fixture = *state;
	struct model *model = &fixture->model;
	char name[STRPOOL_MAX];
	struct named_line line = { 0 };
	struct named_place place = { .lines = &line, .line_count = 1 };
	uint32_t first = 0, last = 0;

	memset(name, 'x', sizeof(name));
	line.name = named_string(&fixture->named, name, sizeof(name));
	for (unsigned int i = 0; i < 1u << 20 && !model->losses.count[LOSS_STRING_BUDGET]; i++) {
		char path[32];

		(void)snprintf(path, sizeof(path), "/lib/%u", i);
		place.image = named_image(&fixture->named, string(fixture, path), IMAGE_UNKNOWN);
		last = named_location(&fixture->named, &place);
		first = first ? first : last;
	}
	assert_int_equal(model->losses.count[LOSS_STRING_BUDGET], 1);
	assert_true(model->functions.count * sizeof(name) < UINT64_C(1) << 29);
	assert_int_equal(model->locations.at[last].function, 0);
	assert_int_not_equal(model->locations.at[first].function, 0);
	/* Existing functions are still found. */
	place.image = model->locations.at[first].image;
	assert_int_equal(named_location(&fixture->named, &place), first);
	assert_int_equal(model->losses.count[LOSS_STRING_BUDGET], 1);
}

static void test_threads(void **state)
{
	struct fixture *fixture = *state;
	struct named *named = &fixture->named;
	const struct model *model = &fixture->model;
	uint32_t sh = string(fixture, "sh"), ls = string(fixture, "ls");
	uint32_t thread = named_thread(named, sh, 10, 10);

	assert_int_equal(named_thread(named, sh, 10, 10), thread);
	assert_int_equal(model->threads.at[named_thread(named, sh, 10, 11)].process,
			 model->threads.at[thread].process);
	assert_int_not_equal(named_thread(named, ls, 10, 10), thread);
	/* A thread with the same name as before is the same thread. */
	assert_int_equal(named_thread(named, sh, 10, 10), thread);
	assert_int_not_equal(model->threads.at[named_thread(named, sh, 12, 12)].process,
			     model->threads.at[thread].process);
	assert_int_equal(named_thread(named, sh, 0, 0), named_thread(named, sh, 0, 0));
	assert_int_not_equal(named_thread(named, ls, 0, 0), named_thread(named, sh, 0, 0));
}

/* A count becomes several samples that share the weight. */
static void test_counts(void **state)
{
	struct fixture *fixture = *state;
	const struct sample_batch *batch = &fixture->import.batch;
	uint64_t weight = 0;

	assert_int_equal(named_event(&fixture->named, string(fixture, "a"), false), 0);
	assert_int_equal(named_add(&fixture->named, &(struct sample){ .weight = 11 }, 3, NULL), 0);
	assert_int_equal(named_add(&fixture->named, &(struct sample){ .weight = 5 }, 0, NULL), 0);
	assert_int_equal(batch->samples.count, 3);
	for (size_t i = 0; i < batch->samples.count; i++)
		weight += batch->samples.at[i].weight;
	assert_int_equal(weight, 11);
}

static void test_events(void **state)
{
	struct fixture *fixture = *state;
	char name[] = "event 0";

	assert_int_equal(named_event(&fixture->named, string(fixture, "a"), true), 0);
	assert_int_equal(named_event(&fixture->named, string(fixture, "b"), false), 1);
	assert_int_equal(named_event(&fixture->named, string(fixture, "a"), true), 0);
	for (unsigned int i = 2; i < NAMED_EVENTS_MAX; i++, name[6]++)
		assert_int_equal(named_event(&fixture->named, string(fixture, name), false), i);
	assert_int_equal(named_event(&fixture->named, string(fixture, "z"), false), -ENOSPC);
}

/*
 * When the limit of equal samples is reached, one sample stands for further ones, too. Different
 * samples stay separate.
 */
static void test_equal_samples(void **state)
{
	struct fixture *fixture = *state;
	struct import *import = &fixture->import;
	const struct sample one = { .weight = 2 }, other = { .weight = 3, .thread = 1 };

	assert_int_equal(named_event(&fixture->named, string(fixture, "a"), false), 0);
	fixture->named.sample_count = (UINT64_C(3) << 20) + 1;
	for (int i = 0; i < 10; i++)
		assert_int_equal(named_add(&fixture->named, &one, 1, NULL), 0);
	assert_int_equal(named_add(&fixture->named, &other, 1, NULL), 0);
	assert_int_equal(named_add(&fixture->named, &one, 1, NULL), 0);
	assert_int_equal(import->batch.samples.count, 3);
	assert_int_equal(import->batch.samples.at[0].weight, 20);
	assert_int_equal(import->batch.samples.at[1].weight, 3);
	assert_int_equal(import->batch.samples.at[2].weight, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_offsets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_inlined, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_stacks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_functions_have_a_budget, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_equal_samples, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_events, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
