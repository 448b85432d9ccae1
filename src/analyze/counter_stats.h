/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_stats.h - estimates from readings of counters
 *
 * One run: what all places counted together.  Where an event had to share the hardware, what it
 * would have counted is taken to be value * enabled / running, place by place, as long as it ran
 * at all; the estimate is marked, with the share of time in which it counted.
 *
 * Several runs: mean, standard deviation (of a sample, n - 1) and the 95 % interval of the mean by
 * Student's t.  Two sets of runs: the difference of means by Welch (1947), with the degrees of
 * freedom of Satterthwaite (1946), as a struct change (significance.h).  What does not vary at
 * all has no width, and any difference of it is one.
 */
#ifndef ASSAY_ANALYZE_COUNTER_STATS_H
#define ASSAY_ANALYZE_COUNTER_STATS_H

#include <stddef.h>

#include "analyze/significance.h"
#include "model/counter.h"

#define SPREAD_CONFIDENCE 0.95

struct counter_value {
	double value;			/* scaled; NAN: counted nowhere */
	double counted_share;		/* of the time that it was asked to; 1: all of it */
	bool scaled;			/* an estimate */
	bool partial;			/* not where it never ran or could not be read */
};

/* @count readings, each @stride behind the one before; absent ones are left out. */
struct counter_value counter_value_of(const struct counter_reading *readings, size_t count,
				      size_t stride);

/* What was counted since @before, of the same counter. */
struct counter_reading counter_since(const struct counter_reading *before,
				     const struct counter_reading *now);

struct spread {
	size_t count;			/* of values that there are */
	double mean;			/* NAN of none */
	double deviation;		/* NAN of less than two */
	double half_width;		/* of the interval; NAN of less than two */
};

/* Values that are NAN are left out. */
struct spread spread_of(const double *values, size_t count);

/* after - before */
struct change spread_change(const struct spread *before, const struct spread *after);

#endif
