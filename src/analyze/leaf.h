/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaf.h - the facts about a stack that reports need
 *
 * Most stacks are unique, so if hits kept their stacks there would be as many hits as samples. Of a
 * stack, reports need only the sampled function and how the stack walk ended. Both are computed
 * here once for every stack of the trie, and hits carry the result.
 */
#ifndef ASSAY_ANALYZE_LEAF_H
#define ASSAY_ANALYZE_LEAF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum stack_end {
	STACK_WHOLE,		/* reached the thread's first function or a kernel thread's end */
	STACK_NO_USER,		/* complete kernel part without a user part: exit, exec */
	STACK_ELSEWHERE,	/* the chain ended by itself at another place */
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
	 * STACK_ELSEWHERE in kernel code: counts as STACK_WHOLE for a kernel task, as STACK_NO_USER
	 * for any other
	 */
	bool kernel_end;
};

const char *stack_end_name(enum stack_end end);
const char *stack_end_meaning(enum stack_end end);

/*
 * Returns one leaf for each stack of the model, by stack id, or NULL if out of memory. The caller
 * frees the array. With @inlined the function of a leaf is the innermost function inlined at its
 * location, if lines are known.
 */
struct leaf *leaves_make(const struct model *model, bool inlined);

#endif
