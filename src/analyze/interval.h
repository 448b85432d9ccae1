/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.h - confidence interval of a share
 *
 * If k of n samples hit a function, k / n is an estimate of the function's true share. The Wilson
 * score interval (Wilson 1927; recommended by Brown, Cai and DasGupta 2001 for every n) is always
 * inside [0, 1]. It is also right for rare functions, where the textbook formula p +- 2
 * sqrt(p(1-p)/n) can give [0, 0]. If fewer than INTERVAL_FEW samples hit the function, or if fewer
 * than INTERVAL_FEW samples do not hit it, the continuity-corrected form (Newcombe 1998, method 4)
 * is used instead. The corrected form is wider. It still covers the true share with the intended
 * probability where the plain form does not.
 *
 * The interval describes only the recorded run: the phases of the run are not treated as chance.
 * significance.h handles the variation between runs, which includes variation of the phases.
 */
#ifndef ASSAY_ANALYZE_INTERVAL_H
#define ASSAY_ANALYZE_INTERVAL_H

#include <stdint.h>

#define INTERVAL_FEW 10		/* rows with fewer samples are marked in every report */

struct interval {
	double low;
	double high;	/* both are shares in [0, 1] */
};

/* Returns the 95 % interval of @hits out of @total, or [0, 1] if @total is 0. */
struct interval interval_share(uint64_t hits, uint64_t total);

/* Like interval_share(), for counts that need not be integers. */
struct interval interval_of(double hits, double total);

#endif
