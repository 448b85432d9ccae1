/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - sums of samples, and their shares of a whole
 *
 * With a fixed period, or with a clock, all samples stand for the same amount, and shares are
 * shares of samples. In three cases samples stand for different numbers of events: the kernel
 * steers the period of an event towards a frequency (-F), the recording may have changed the period
 * of a clock (--max-overhead), or an imported file gives each sample its own period. A share is
 * then a share of weight. Its interval is that of the number of equal samples with the same
 * variance, (sum w)^2 / sum w^2 (Kish 1965), which is less than the actual number of samples.
 */
#ifndef ASSAY_ANALYZE_COUNT_H
#define ASSAY_ANALYZE_COUNT_H

#include "analyze/interval.h"
#include "model/sample.h"

struct count {
	uint64_t samples;
	uint64_t weight;
	double squares;		/* sum of squared weights; kept only for events counted by weight */
};

static inline void count_add(struct count *to, const struct count *count)
{
	to->samples += count->samples;
	to->weight += count->weight;
	to->squares += count->squares;
}

/* Subtracts a count that was added earlier. The field squares loses its last digits to rounding. */
static inline void count_subtract(struct count *from, const struct count *count)
{
	from->samples -= count->samples;
	from->weight -= count->weight;
	from->squares = from->squares > count->squares ? from->squares - count->squares : 0;
}

/* Returns true if shares of this event are shares of weight. */
static inline bool count_goes_by_weight(const struct event *event)
{
	return event->is_time ? event->frequency_hz && event->period
			      : event->frequency_hz || !event->period;
}

/* Returns the number by which rows are ranked. */
static inline uint64_t count_rank(const struct count *count, bool by_weight)
{
	return by_weight ? count->weight : count->samples;
}

/* Returns the number of equal samples that would vary the same, or 0 if it is unknown. */
double count_equal_samples(const struct count *count, bool by_weight);

/* Returns a share in [0, 1], or 0 if @whole is empty. */
double count_share(const struct count *part, const struct count *whole, bool by_weight);
struct interval count_interval(const struct count *part, const struct count *whole, bool by_weight);

#endif
