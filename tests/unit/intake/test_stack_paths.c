/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remembered paths lead to the same stacks as the model's own index. */
#include "support/test.h"

#include "intake/stack_paths.h"

#define DEPTH_MAX (STACK_PATH_STEPS + 20)

static uint32_t by_index(struct model *model, uint32_t stack, const uint32_t *locations,
			 size_t count)
{
	while (count-- > 0)
		stack = model_stack_id(model, stack, locations[count]);
	return stack;
}

/*
 * Paths of several processes in turn, which share their outer parts. Some are deeper than what is
 * remembered.
 */
static void test_as_by_the_index(void **state)
{
	static struct stack_paths paths;
	uint32_t locations[DEPTH_MAX], number = 1;
	struct model model;

	assert_int_equal(model_init(&model), 0);
	for (size_t i = 0; i < DEPTH_MAX; i++)
		locations[i] = 1;
	for (uint32_t round = 0; round < 5000; round++) {
		struct stack_path path = { round % 40, locations, 0 };
		enum stack_root root = round % 3 ? STACK_ROOT_END : STACK_ROOT_TRUNCATED;
		uint32_t stack;

		number = number * 1103515245 + 12345;
		path.count = (number >> 8) % DEPTH_MAX;
		locations[(number >> 16) % DEPTH_MAX] = 1 + (number >> 24) % 3;
		stack = stack_paths_push(&paths, &model, root, &path);
		assert_int_equal(stack, by_index(&model, root, locations, path.count));
	}
	model_fini(&model);
}

static void test_known_steps_add_nothing(void **state)
{
	static struct stack_paths paths;
	const uint32_t locations[] = { 3, 2, 1 };
	const struct stack_path path = { 7, locations, 3 };
	struct model model;
	uint32_t stack;
	size_t count;

	assert_int_equal(model_init(&model), 0);
	stack = stack_paths_push(&paths, &model, STACK_ROOT_END, &path);
	count = model.stacks.count;
	assert_int_equal(count, STACK_ROOT_COUNT + 3);
	assert_int_equal(stack_paths_push(&paths, &model, STACK_ROOT_END, &path), stack);
	assert_int_equal(model.stacks.count, count);
	model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_by_the_index),
		cmocka_unit_test(test_known_steps_add_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
