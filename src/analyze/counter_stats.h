/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_stats.h - estimates from readings of counters
 *
 * A counter is read in several places (CPUs or threads), and the count of one run is the sum over
 * all places. If an event had to share the hardware counters, its count in each place where it ran
 * at all is estimated as value * enabled / running. Such an estimate is marked, and comes with the
 * share of time in which the event was counted.
 *
 * Several runs: mean, standard deviation (of a sample, n - 1) and the 95 % interval of the mean by
 * Student's t. Two sets of runs: the difference of means by Welch (1947), with the degrees of
 * freedom of Satterthwaite (1946), as a struct change (significance.h). Values that do not vary at
 * all give an interval of width 0, and any difference between them counts as real.
 */
#ifndef ASSAY_ANALYZE_COUNTER_STATS_H
#define ASSAY_ANALYZE_COUNTER_STATS_H

#include <stddef.h>

#include "analyze/significance.h"
#include "model/counter.h"

#define SPREAD_CONFIDENCE 0.95

struct counter_value {
	double value;			/* sum of scaled counts; NAN: counted in no place */
	/* share of the requested time in which the event was counted; 1: all of it */
	double counted_share;
	bool scaled;			/* the value is an estimate */
	/* in some places the event never ran or could not be read */
	bool partial;
};

/* Sums up @count readings that are @stride apart. Absent readings are left out. */
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

/* Values that are NAN are left out. */
struct spread spread_of(const double *values, size_t count);

/* after - before */
struct change spread_change(const struct spread *before, const struct spread *after);

#endif
