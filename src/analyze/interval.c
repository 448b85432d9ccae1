/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/interval.h"

#include <math.h>

#define Z 1.959963984540054	/* 97.5 % quantile of the normal distribution */

static struct interval wilson(double hits, double total)
{
	double centre = hits + Z * Z / 2;
	double half = Z * sqrt(hits * (total - hits) / total + Z * Z / 4);
	double width = total + Z * Z;

	return (struct interval){ (centre - half) / width, (centre + half) / width };
}

/*
 * The continuity correction is half a sample. The lower bound is 0 if at most half a sample is a
 * hit. The upper bound is 1 if at most half a sample is not a hit.
 */
static struct interval wilson_corrected(double hits, double total)
{
	double misses = total - hits, share = hits / total;
	double centre = 2 * hits + Z * Z, width = 2 * (total + Z * Z);
	double below = fmax(Z * Z - 2 - 1 / total + 4 * share * (misses + 1), 0);
	double above = fmax(Z * Z + 2 - 1 / total + 4 * share * (misses - 1), 0);
	struct interval interval = { 0, 1 };

	if (hits > 0.5)
		interval.low = (centre - 1 - Z * sqrt(below)) / width;
	if (misses > 0.5)
		interval.high = (centre + 1 + Z * sqrt(above)) / width;
	return interval;
}

struct interval interval_share(uint64_t hits, uint64_t total)
{
	return interval_of((double)hits, (double)total);
}

struct interval interval_of(double hits, double total)
{
	struct interval interval = { 0, 1 };

	if (!(total > 0))
		return interval;
	hits = fmin(hits, total);
	if (hits < INTERVAL_FEW || total - hits < INTERVAL_FEW)
		interval = wilson_corrected(hits, total);
	else
		interval = wilson(hits, total);
	interval.low = fmax(interval.low, 0);
	interval.high = fmin(interval.high, 1);
	return interval;
}
