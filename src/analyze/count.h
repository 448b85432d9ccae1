/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - what samples add up to, and what share of a whole they are
 *
 * With a fixed period, or with a clock, every sample stands for as much as any other, and a
 * share is one of samples.  Where the kernel steers the period of an event towards a frequency
 * (-F), or the recording may have changed that of a clock (--max-overhead), or a file that was
 * imported says so, each sample stands for another number of events: a share is then one of
 * weight.  Its
 * interval is that of as many equal samples as would vary the same, (sum w)^2 / sum w^2 (Kish
 * 1965), which is fewer than there were.
 */
#ifndef ASSAY_ANALYZE_COUNT_H
#define ASSAY_ANALYZE_COUNT_H

#include "analyze/interval.h"
#include "model/sample.h"

struct count {
	uint64_t samples;
	uint64_t weight;
	double squares;		/* sum of squared weights; kept for events by weight only */
};

static inline void count_add(struct count *to, const struct count *count)
{
	to->samples += count->samples;
	to->weight += count->weight;
	to->squares += count->squares;
}

/* What was added before; squares lose their last digits on the way. */
static inline void count_subtract(struct count *from, const struct count *count)
{
	from->samples -= count->samples;
	from->weight -= count->weight;
	from->squares = from->squares > count->squares ? from->squares - count->squares : 0;
}

/* Do shares of this event go by weight? */
static inline bool count_goes_by_weight(const struct event *event)
{
	return event->is_time ? event->frequency_hz && event->period
			      : event->frequency_hz || !event->period;
}

/* What rows are ranked by. */
static inline uint64_t count_rank(const struct count *count, bool by_weight)
{
	return by_weight ? count->weight : count->samples;
}

/* As many equal samples as would vary the same; 0 where that is not known. */
double count_equal_samples(const struct count *count, bool by_weight);

/* In [0, 1]; 0 of nothing. */
double count_share(const struct count *part, const struct count *whole, bool by_weight);
struct interval count_interval(const struct count *part, const struct count *whole, bool by_weight);

#endif
