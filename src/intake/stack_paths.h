/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_paths.h - the way that the last stacks took through the model's
 *
 * A stack of the model is a path from its outermost frame; each step is a look into an index of
 * millions.  But the next stack of a process mostly goes where its last one went, and only near the
 * end elsewhere: those steps are remembered, for some processes, and read in the order in which
 * they lie in memory.  A step, once known, stays true.
 */
#ifndef ASSAY_INTAKE_STACK_PATHS_H
#define ASSAY_INTAKE_STACK_PATHS_H

#include "model/model.h"

#define STACK_PATHS 16
#define STACK_PATH_STEPS 128	/* what is deeper is not remembered */

/* From @parent by @location to @stack; 0: none is known. */
struct stack_step {
	uint32_t parent, location, stack;
};

struct stack_paths {	/* all zeros to begin with */
	struct stack_step steps[STACK_PATHS][STACK_PATH_STEPS];
};

struct stack_path {
	uint32_t who;			/* took it: any number */
	const uint32_t *locations;	/* innermost first */
	size_t count;
};

/* The stack that continues @stack by @path, as by model_stack_id() for each of its locations. */
uint32_t stack_paths_push(struct stack_paths *paths, struct model *model, uint32_t stack,
			  const struct stack_path *path);

#endif
