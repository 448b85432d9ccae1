/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_paths.h - remembers the paths of recent stacks through the model
 *
 * In the model, a stack is a path that starts at the outermost frame. Each step of the path is a
 * lookup in an index with millions of entries. But consecutive stacks of a process usually have the
 * same outer frames and differ only near the innermost one. So for some processes, the steps of the
 * last stack are remembered in an array that is read in memory order. A remembered step never
 * becomes invalid.
 */
#ifndef ASSAY_INTAKE_STACK_PATHS_H
#define ASSAY_INTAKE_STACK_PATHS_H

#include "model/model.h"

#define STACK_PATHS 16
#define STACK_PATH_STEPS 128	/* frames more than 128 steps inwards are not remembered */

/*
 * One step: adding @location to the stack @parent gives @stack. If @stack is 0, no step is
 * remembered.
 */
struct stack_step {
	uint32_t parent, location, stack;
};

struct stack_paths {	/* initialize with zeros */
	struct stack_step steps[STACK_PATHS][STACK_PATH_STEPS];
};

struct stack_path {
	uint32_t who;			/* any number that identifies the process */
	const uint32_t *locations;	/* innermost first */
	size_t count;
};

/*
 * Returns the stack that extends @stack by @path. The result is the same as calling
 * model_stack_id() for each location.
 */
uint32_t stack_paths_push(struct stack_paths *paths, struct model *model, uint32_t stack,
			  const struct stack_path *path);

#endif
