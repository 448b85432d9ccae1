/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_counts.h - number of samples for each stack
 *
 * Call trees are made from these counts. Programs with deep stacks have about as many stacks as
 * samples, so the counts are an array by stack id, and only for one event. That event is the
 * lowest-numbered event that has samples, which is the event that reports show. Idle samples are
 * left out and only their number is kept, unless the filter asks for contexts.
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

/* Adds @count to the stack of @sample. The sample's ids must be inside the model. */
void stack_counts_add(struct stack_counts *counts, const struct sample *sample,
		      const struct count *count);

#endif
