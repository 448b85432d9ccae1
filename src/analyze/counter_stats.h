/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_stats.h - estimates from readings of counters
 *
 * A counter is read on each CPU or for each thread, and the count of one run is the sum of all
 * readings. If an event had to share the hardware counters with other events, it was counted only
 * part of the time. Each reading in which the event was counted at all is then extrapolated: value
 * * enabled / running. The sum is marked as an estimate, and comes with the share of the time in
 * which the event was counted.
 *
 * For several runs: mean, standard deviation (of a sample, n - 1), and 95 % interval of the mean by
 * Student's t. For two sets of runs: the difference of their means as a struct change
 * (significance.h), by Welch (1947) with the degrees of freedom of Satterthwaite (1946). If the
 * values do not vary at all, the interval has width 0, and any difference between the means is
 * reported as real.
 */
#ifndef ASSAY_ANALYZE_COUNTER_STATS_H
#define ASSAY_ANALYZE_COUNTER_STATS_H

#include <stddef.h>

#include "analyze/significance.h"
#include "model/counter.h"

#define SPREAD_CONFIDENCE 0.95

struct counter_value {
	double value;			/* sum of the extrapolated counts; NAN: never counted */
	/* share of the requested time in which the event was counted; 1: all of it */
	double counted_share;
	bool scaled;			/* the value is an estimate */
	/* on some CPUs or threads the event was never counted or could not be read */
	bool partial;
};

/*
 * Sums up @count readings, which are @stride elements apart in @readings. Leaves out readings that
 * are absent or failed.
 */
struct counter_value counter_value_of(const struct counter_reading *readings, size_t count,
				      size_t stride);

/* Returns the difference between two readings of one counter. */
struct counter_reading counter_since(const struct counter_reading *before,
				     const struct counter_reading *now);

struct spread {
	size_t count;			/* number of values present */
	double mean;			/* NAN if there are no values */
	double deviation;		/* NAN if there are fewer than two values */
	/* half width of the 95 % interval; NAN if there are fewer than two values */
	double half_width;
};

/* Leaves out values that are NAN or infinite. */
struct spread spread_of(const double *values, size_t count);

/* after - before */
struct change spread_change(const struct spread *before, const struct spread *after);

#endif
