/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_counts.h - samples by the stack they were taken on
 *
 * What a call tree is made of.  Stacks are as many as samples where programs are deep, so this
 * is an array by stack id, and only of one event: the first one (lowest number) that has
 * samples, which is the one that reports show.  Idle time is counted apart unless the filter
 * asks for contexts, as in every table without contexts.
 */
#ifndef ASSAY_ANALYZE_STACK_COUNTS_H
#define ASSAY_ANALYZE_STACK_COUNTS_H

#include <stdbool.h>

#include "analyze/count.h"
#include "model/model.h"

struct stack_counts {
	struct count *at;	/* by stack id; NULL: not asked for */
	size_t count;		/* of stacks, those below STACK_ROOT_COUNT among them */
	struct count total;	/* of all of them */
	uint64_t idle_samples;	/* left out */
	uint8_t event;
	bool begun;		/* a sample came: event is valid */
	bool wants_idle;
};

/* 0 or -ENOMEM. */
int stack_counts_init(struct stack_counts *counts, const struct model *model, bool wants_idle);
void stack_counts_fini(struct stack_counts *counts);

/* @sample's ids lie inside the model; @count is what it adds. */
void stack_counts_add(struct stack_counts *counts, const struct sample *sample,
		      const struct count *count);

#endif
