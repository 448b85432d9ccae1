/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_counts.h - number of samples for each stack
 *
 * Call trees are made from these counts. Programs with deep stacks have about as many stacks as
 * samples. So the counts are stored in an array indexed by stack id, and only one event is counted:
 * the event with the lowest number that has samples. Reports show the same event. If the filter
 * does not select contexts, idle samples are not counted by stack; only their total number is kept.
 */
#ifndef ASSAY_ANALYZE_STACK_COUNTS_H
#define ASSAY_ANALYZE_STACK_COUNTS_H

#include <stdbool.h>

#include "analyze/count.h"
#include "model/model.h"

struct stack_counts {
	struct count *at;	/* by stack id; NULL: not requested */
	/* by stack id: the context (enum context) of one of the stack's samples */
	uint8_t *contexts;
	size_t count;		/* number of stacks, including those below STACK_ROOT_COUNT */
	struct count total;	/* sum over all stacks */
	uint64_t idle_samples;	/* number of idle samples left out */
	uint8_t event;
	bool begun;		/* at least one sample was added, so event is valid */
	bool wants_idle;
};

/* Returns 0 or -ENOMEM. */
int stack_counts_init(struct stack_counts *counts, const struct model *model, bool wants_idle);
void stack_counts_fini(struct stack_counts *counts);

/* Adds @count to the stack of @sample. All ids in the sample must exist in the model. */
void stack_counts_add(struct stack_counts *counts, const struct sample *sample,
		      const struct count *count);

#endif
