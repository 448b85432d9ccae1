/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.h - what a share is worth
 *
 * k of n samples is an estimate of a true share.  The Wilson score interval (Wilson 1927;
 * Brown, Cai and DasGupta 2001 recommend it for every n) stays inside [0, 1] and is honest for
 * rare functions, where the textbook p +- 2 sqrt(p(1-p)/n) claims [0, 0].  Below
 * INTERVAL_FEW samples of either kind the continuity-corrected form (Newcombe 1998, method 4)
 * is used: it is wider, and keeps its coverage where the plain form's dips.
 *
 * It is about the run that was recorded, whose phases are no chance.  What another run would show
 * varies by them, too: significance.h.
 */
#ifndef ASSAY_ANALYZE_INTERVAL_H
#define ASSAY_ANALYZE_INTERVAL_H

#include <stdint.h>

#define INTERVAL_FEW 10		/* rows below are marked in every report */

struct interval {
	double low;
	double high;	/* shares in [0, 1] */
};

/* The 95 % interval of @hits out of @total; [0, 1] when @total is 0. */
struct interval interval_share(uint64_t hits, uint64_t total);

/* The same for counts that need not be whole. */
struct interval interval_of(double hits, double total);

#endif
