/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_means.h - is a change of the mean over several runs more than chance?
 *
 * run_change.h compares one run with one run, and has to assume how much runs differ. With several
 * runs on at least one side, this variation is measured:
 *
 *	spread		The variance of the mean is that of the runs' values, divided by their
 *			number. If the values happen to differ by less than sampling alone would
 *			make them differ, the variance by sampling is used.
 *	one run		A side of one run gets the variance of a run from the other side.
 *	test		Welch's t (1947) with the degrees of freedom of Satterthwaite (1946). If one
 *			side has only one run, Student's t with those of the other side.
 *
 * The runs of one side are often recorded first, and then those of the other side. The machine can
 * be faster or slower in between, which no spread within a side shows. run_means_drift() estimates
 * this from everything else in the runs. The estimate is combined with the assumption that a
 * machine drifts by RUN_DRIFT, so a run that consists of one function can be compared, too.
 *
 * The functions here never allocate memory, never fail and keep no state.
 */
#ifndef ASSAY_ANALYZE_RUN_MEANS_H
#define ASSAY_ANALYZE_RUN_MEANS_H

#include <stddef.h>

#include "analyze/significance.h"

/* relative standard deviation of the same work from one series of runs to the next */
#define RUN_DRIFT 0.04

struct run_value {
	double value;
	double sampling;	/* variance of the value by sampling */
};

struct run_mean {
	double mean;
	double variance;	/* of the mean; INFINITY if both sides have one run only */
	double freedom;		/* degrees of freedom; 0: the variance is that of the other side */
};

/* Writes the means of @runs, of which the first @counts[0] are before and @counts[1] after. */
void run_means(const struct run_value *runs, const size_t counts[static 2],
	       struct run_mean ret_means[static 2]);

/* By which factor the machine became slower, and the variance of its logarithm. */
struct run_drift {
	double factor, variance;
};

struct run_drift run_means_drift(const struct run_mean rests[static 2]);

/* Returns after - factor * drift * before. Without drift, @drift is NULL. */
struct change run_means_change(const struct run_mean means[static 2], double factor,
			       const struct run_drift *drift);

#endif
