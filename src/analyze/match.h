/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - a filter, evaluated against one model
 *
 * Patterns are compared once with each thread, image and function. After that, each of millions of
 * samples needs only a few array look-ups.
 *
 * A condition on symbols holds for a stack if it holds for any of the stack's frames. So it holds
 * if it holds for the stack's innermost frame or for its parent stack. Parents have smaller ids, so
 * one pass in the order of ids is enough for all stacks. A condition on images applies to the
 * innermost frame only.
 */
#ifndef ASSAY_ANALYZE_MATCH_H
#define ASSAY_ANALYZE_MATCH_H

#include "analyze/filter.h"
#include "analyze/span_index.h"
#include "model/model.h"

struct match {
	bool *threads;		/* by thread id: true if selected; NULL: all */
	bool *stacks;		/* by stack id: true if selected; NULL: all */
	/* by CPU number, FILTER_CPU_MAX + 1 entries: true if selected; NULL: all */
	bool *cpus;
	bool events[256];
	uint32_t contexts;	/* one bit per enum context */
	uint64_t from_ns, to_ns;/* on CLOCK_MONOTONIC */
	struct span_index *spans;	/* calls that samples must be in; NULL: anywhere */
};

/*
 * If @filter is NULL, everything matches. The filter's time range is relative to @start_ns. Returns
 * 0 or -ENOMEM. Call match_fini() in both cases.
 */
int match_init(struct match *match, const struct filter *filter, const struct model *model,
	       uint64_t start_ns);
void match_fini(struct match *match);

/* Sets the filter's time range again, for another @start_ns. */
void match_set_start(struct match *match, const struct filter *filter, uint64_t start_ns);

/*
 * Reads the calls that @filter selects, if it does so. Without this, such a filter matches as if it
 * selected none. Returns 0, -ENOMEM or the error of reading the recording.
 */
int match_read_spans(struct match *match, const struct filter *filter, struct recording *recording,
		     struct model *model, struct err *err);

/*
 * All ids in @sample must exist in the model; see sample_make_safe(). A metric (metric.h) may have
 * changed the sample; the calls that it fell into are asked for before, with match_calls().
 */
static inline bool match_sample(const struct match *match, const struct sample *sample)
{
	return match->events[sample->event] && (match->contexts >> sample->context & 1) &&
	       sample->time_ns >= match->from_ns && sample->time_ns < match->to_ns &&
	       (!match->threads || match->threads[sample->thread]) &&
	       (!match->stacks || match->stacks[sample->stack]) &&
	       (!match->cpus || match->cpus[sample->cpu]);
}

/* Returns true if @sample, as it was recorded, fell into the calls that the filter selects. */
static inline bool match_calls(const struct match *match, const struct sample *sample)
{
	return !match->spans || span_index_has(match->spans, sample);
}

#endif
