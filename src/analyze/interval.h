/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.h - confidence interval of a share
 *
 * k of n samples is an estimate of a true share. The Wilson score interval (Wilson 1927; Brown, Cai
 * and DasGupta 2001 recommend it for every n) stays inside [0, 1]. The Wilson interval is also
 * right for rare functions, where the textbook formula p +- 2 sqrt(p(1-p)/n) claims [0, 0]. With
 * fewer than INTERVAL_FEW samples inside or outside the share, the continuity-corrected form
 * (Newcombe 1998, method 4) is used. The corrected form is wider, and keeps its coverage where the
 * coverage of the plain form drops.
 *
 * The interval is about the recorded run only, so it does not treat the phases of the run as
 * chance. significance.h handles the variation between runs, which includes the phases.
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
