/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - sums of samples, and their shares of a whole
 *
 * If an event is a clock or has a fixed period, all of its samples represent the same amount, and a
 * share is computed from the number of samples. In three cases the samples represent different
 * amounts:
 *
 * - The kernel adjusts the period of an event to reach a frequency (-F).
 * - The recorder may have changed the period of a clock (--max-overhead).
 * - An imported file gives each sample its own period.
 *
 * In these cases a share is computed from the weights of the samples. The interval of such a share
 * is computed as if there were (sum w)^2 / sum w^2 samples of equal weight. This number of equal
 * samples would have the same variance (Kish 1965). It is less than the actual number of samples.
 */
#ifndef ASSAY_ANALYZE_COUNT_H
#define ASSAY_ANALYZE_COUNT_H

#include "analyze/interval.h"
#include "model/sample.h"

struct count {
	uint64_t samples;
	uint64_t weight;
	/* sum of the squared weights; 0 if shares are computed from the number of samples */
	double squares;
};

static inline void count_add(struct count *to, const struct count *count)
{
	to->samples += count->samples;
	to->weight += count->weight;
	to->squares += count->squares;
}

/*
 * Subtracts a count that was added earlier. The result of `squares` is inexact because of rounding.
 */
static inline void count_subtract(struct count *from, const struct count *count)
{
	from->samples -= count->samples;
	from->weight -= count->weight;
	from->squares = from->squares > count->squares ? from->squares - count->squares : 0;
}

/*
 * Returns true if shares of this event are computed from weights, and false if they are computed
 * from numbers of samples.
 */
static inline bool count_goes_by_weight(const struct event *event)
{
	return event->is_time ? event->frequency_hz && event->period
			      : event->frequency_hz || !event->period;
}

/* Returns the number by which rows are ranked: the weight or the number of samples. */
static inline uint64_t count_rank(const struct count *count, bool by_weight)
{
	return by_weight ? count->weight : count->samples;
}

/*
 * Returns the number of samples of equal weight that would give a share the same variance, or 0 if
 * it is unknown.
 */
double count_equal_samples(const struct count *count, bool by_weight);

/* Returns a share in [0, 1], or 0 if @whole is empty. */
double count_share(const struct count *part, const struct count *whole, bool by_weight);
struct interval count_interval(const struct count *part, const struct count *whole, bool by_weight);

#endif
