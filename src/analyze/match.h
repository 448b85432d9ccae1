/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - a filter, worked out against one model
 *
 * Patterns are matched once per thread, image and function; what is left for each of millions
 * of samples is a look into a few arrays.  A frame's match is handed down the stack trie from
 * parent to child in id order, so "any frame" costs one pass over the nodes too.
 */
#ifndef ASSAY_ANALYZE_MATCH_H
#define ASSAY_ANALYZE_MATCH_H

#include "analyze/filter.h"
#include "model/model.h"

struct match {
	bool *threads;		/* by thread id; NULL: all */
	bool *stacks;		/* by stack id; NULL: all */
	bool *cpus;		/* FILTER_CPU_MAX + 1 of them; NULL: all */
	bool events[256];
	uint32_t contexts;	/* bit per enum context */
	uint64_t from_ns, to_ns;/* CLOCK_MONOTONIC */
};

/*
 * @filter NULL: everything passes.  @start_ns is the time that the filter's range counts
 * from.  0 or -ENOMEM; match_fini() after either.
 */
int match_init(struct match *match, const struct filter *filter, const struct model *model,
	       uint64_t start_ns);
void match_fini(struct match *match);

/* Ids in @sample must lie inside the model. */
static inline bool match_sample(const struct match *match, const struct sample *sample)
{
	return match->events[sample->event] && (match->contexts >> sample->context & 1) &&
	       sample->time_ns >= match->from_ns && sample->time_ns < match->to_ns &&
	       (!match->threads || match->threads[sample->thread]) &&
	       (!match->stacks || match->stacks[sample->stack]) &&
	       (!match->cpus || match->cpus[sample->cpu]);
}

#endif
