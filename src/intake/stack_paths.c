/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/stack_paths.h"

static uint32_t take_step(struct model *model, struct stack_step *step, uint32_t parent,
			  uint32_t location)
{
	if (step->parent != parent || step->location != location || !step->stack)
		*step = (struct stack_step){ parent, location,
					     model_stack_id(model, parent, location) };
	return step->stack;
}

uint32_t stack_paths_push(struct stack_paths *paths, struct model *model, uint32_t stack,
			  const struct stack_path *path)
{
	struct stack_step *steps = paths->steps[path->who % STACK_PATHS];

	for (size_t depth = 0; depth < path->count; depth++) {
		uint32_t location = path->locations[path->count - 1 - depth];

		stack = depth < STACK_PATH_STEPS ? take_step(model, &steps[depth], stack, location)
						 : model_stack_id(model, stack, location);
	}
	return stack;
}
