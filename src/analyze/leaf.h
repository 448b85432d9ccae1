/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaf.h - the facts about a stack that reports need
 *
 * A hit is a set of equal samples, counted together (profile.h). Most stacks are unique, so if hits
 * included their stacks there would be as many hits as samples. But reports need only two facts
 * about a stack: the sampled function and how the stack walk ended. leaf.c computes both facts once
 * for every stack, and hits contain the result.
 */
#ifndef ASSAY_ANALYZE_LEAF_H
#define ASSAY_ANALYZE_LEAF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum stack_end {
	/* the walk reached the thread's first function or the end of a kernel thread's stack */
	STACK_WHOLE,
	STACK_NO_USER,		/* complete kernel part but no user part, as during exit or exec */
	STACK_ELSEWHERE,	/* the chain was not cut, but ended at an unexpected function */
	STACK_TRUNCATED,
	STACK_BROKEN,
	STACK_NOT_ASKED,
	STACK_END_COUNT
};

struct leaf {
	uint32_t image;		/* of the sampled location */
	uint32_t function;	/* 0: not resolved */
	uint8_t end;		/* enum stack_end */
	/*
	 * the chain was not cut, but ended at an unexpected function in kernel code. The stack is
	 * STACK_WHOLE if the task is a kernel task, and STACK_NO_USER if not.
	 */
	bool kernel_end;
};

const char *stack_end_name(enum stack_end end);
const char *stack_end_meaning(enum stack_end end);

/*
 * Returns one leaf for each stack of the model, indexed by stack id, or NULL if out of memory. The
 * caller frees the array. With @inlined, the function of a leaf is the innermost function that was
 * inlined at the leaf's location, if the lines of the location are known.
 */
struct leaf *leaves_make(const struct model *model, bool inlined);

#endif
