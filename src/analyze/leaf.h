/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaf.h - what a report needs of a stack
 *
 * Most stacks are unique, so hits that kept them would be as many as samples.  The reports ask
 * of a stack only which function was sampled and how the walk behind it ended; both are worked
 * out here for every stack of the trie, once, and hits carry the result.
 */
#ifndef ASSAY_ANALYZE_LEAF_H
#define ASSAY_ANALYZE_LEAF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum stack_end {
	STACK_WHOLE,		/* reached where the thread began, or a kernel thread's end */
	STACK_NO_USER,		/* all of the kernel part, and there was no user part: exit, exec */
	STACK_ELSEWHERE,	/* the chain ended by itself somewhere else */
	STACK_TRUNCATED,
	STACK_BROKEN,
	STACK_NOT_ASKED,
	STACK_END_COUNT
};

struct leaf {
	uint32_t image;		/* of the sampled location */
	uint32_t function;	/* 0: not resolved */
	uint8_t end;		/* enum stack_end */
	bool kernel_end;	/* STACK_ELSEWHERE in kernel code: whole for a kernel task,
				   STACK_NO_USER for any other */
};

const char *stack_end_name(enum stack_end end);
const char *stack_end_meaning(enum stack_end end);

/*
 * One for each stack of the model, by id; NULL when out of memory. The caller frees it. @inlined:
 * the function is the innermost one that the compiler put there, where lines are known.
 */
struct leaf *leaves_make(const struct model *model, bool inlined);

#endif
