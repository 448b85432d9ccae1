/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copied_stacks.h - stacks of waits that the in-kernel sampler could not walk
 *
 * The sampler sends a copy of such a stack before the wait (bpf/raw_stack.h). The copy is walked at
 * once, and the result is kept here until the wait arrives. The store is emptied when it is full:
 * by then, the waits of nearly all its stacks have arrived.
 */
#ifndef ASSAY_INTAKE_COPIED_STACKS_H
#define ASSAY_INTAKE_COPIED_STACKS_H

#include "base/u64map.h"
#include "base/vec.h"
#include "model/context.h"

#define COPIED_STACKS_MAX 65536

struct copied_stack {
	uint32_t stack;			/* id of the stack in the model */
	enum context context;
	uint64_t life;			/* number of the program, see bpf/wire.h */
};

struct copied_stacks {
	struct u64map index;		/* from the number in the records to the index in list */
	VEC(struct copied_stack) list;
};

void copied_stacks_fini(struct copied_stacks *copied);

/* Returns 0 or -ENOMEM. */
int copied_stacks_keep(struct copied_stacks *copied, uint64_t number,
		       const struct copied_stack *stack);

/* Returns false if there is no stack with this number. */
bool copied_stacks_find(const struct copied_stacks *copied, uint64_t number,
			struct copied_stack *ret_stack);

#endif
