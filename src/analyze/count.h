/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - sums of samples, and their shares of a whole
 *
 * If an event is a clock or has a fixed period, all of its samples represent the same amount, and a
 * share is computed from the number of samples. In four cases the samples represent different
 * amounts, and a share is computed from their weights:
 *
 * - The kernel adjusts the period of an event to reach a frequency (-F).
 * - The recorder varies the rate of a clock (-F).
 * - An imported file gives each sample its own period or value.
 * - The weight was measured: it is the duration of a wait (model/wait.h).
 *
 * count_goes_by_weight() decides this for all commands.
 *
 * A share that is estimated from samples has an interval. If the samples have different weights,
 * the interval is computed as if there were (sum w)^2 / sum w^2 samples of equal weight. This
 * number of equal samples would have the same variance (Kish 1965). It is less than the actual
 * number of samples.
 *
 * A measured weight has no sampling error, because nothing was left out. So a share of measured
 * weights has no interval. In a profile of wall time, only a part of the weight is measured. The
 * interval of a share then covers the error of the rest.
 */
#ifndef ASSAY_ANALYZE_COUNT_H
#define ASSAY_ANALYZE_COUNT_H

#include "analyze/interval.h"
#include "model/sample.h"

struct count {
	uint64_t samples;
	uint64_t weight;
	uint64_t measured;	/* part of `weight` that was measured */
	/*
	 * sum of the squares of all weights that were not measured; 0 if shares are computed from
	 * the number of samples
	 */
	double squares;
};

static inline void count_add(struct count *to, const struct count *count)
{
	to->samples += count->samples;
	to->weight += count->weight;
	to->measured += count->measured;
	to->squares += count->squares;
}

/*
 * Subtracts a count that was added earlier. The result of `squares` is inexact because of rounding.
 */
static inline void count_subtract(struct count *from, const struct count *count)
{
	from->samples -= count->samples;
	from->weight -= count->weight;
	from->measured -= count->measured;
	from->squares = from->squares > count->squares ? from->squares - count->squares : 0;
}

/*
 * Returns true if shares of this event are computed from weights, and false if they are computed
 * from numbers of samples.
 */
static inline bool count_goes_by_weight(const struct event *event)
{
	if (event_is_measured(event))
		return true;
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
 * it is unknown. Measured weights do not count.
 */
double count_equal_samples(const struct count *count, bool by_weight);

/*
 * Returns true if shares of @whole have no interval, because all of its weight was measured. Then
 * the number of samples says nothing about how exact a share is.
 */
static inline bool count_is_exact(const struct count *whole, bool by_weight)
{
	return by_weight && whole->measured && whole->measured == whole->weight;
}

/*
 * Returns true if the part of @count that was not measured is estimated from fewer than
 * INTERVAL_FEW samples.
 */
bool count_is_few(const struct count *count, bool by_weight);

/* Returns a share in [0, 1], or 0 if @whole is empty. */
double count_share(const struct count *part, const struct count *whole, bool by_weight);
/* If count_is_exact(@whole), the interval contains only the share itself. */
struct interval count_interval(const struct count *part, const struct count *whole, bool by_weight);

#endif
