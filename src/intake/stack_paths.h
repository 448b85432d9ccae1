/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_paths.h - remembers the paths of recent stacks through the model
 *
 * In the model, a stack is a path in a tree, from the outermost frame to the innermost. Each step
 * of the path needs a lookup in an index with millions of entries. But successive stacks of a
 * process usually have the same outer frames and differ only in the innermost ones. So the steps of
 * the last stack are remembered in an array, which is read sequentially. There are STACK_PATHS such
 * arrays, which the processes share. A remembered step stays valid until the model forgets its
 * stacks.
 */
#ifndef ASSAY_INTAKE_STACK_PATHS_H
#define ASSAY_INTAKE_STACK_PATHS_H

#include "model/model.h"

#define STACK_PATHS 16
/* maximum number of remembered steps, counted from the outermost frame */
#define STACK_PATH_STEPS 128

/*
 * One step of a path: adding the frame @location to the stack @parent gives the stack @stack. If
 * @stack is 0, the entry is empty.
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
 * Returns the stack that results from adding the frames of @path to @stack. The result is the same
 * as calling model_stack_id() for each frame.
 */
uint32_t stack_paths_push(struct stack_paths *paths, struct model *model, uint32_t stack,
			  const struct stack_path *path);

#endif
