/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/run_means.h"

#include <math.h>

#include "analyze/run_change.h"

#define BEFORE 0
#define AFTER 1
#define SIDES 2

static double square(double x)
{
	return x * x;
}

struct side {
	double mean;
	double variance;	/* of one run by spread; only with two runs or more */
	double sampling;	/* of one run by sampling */
};

static struct side side_of(const struct run_value *runs, size_t count)
{
	struct side side = { 0 };

	for (size_t i = 0; i < count; i++) {
		side.mean += runs[i].value / (double)count;
		side.sampling += runs[i].sampling / (double)count;
	}
	for (size_t i = 0; i < count && count > 1; i++)
		side.variance += square(runs[i].value - side.mean) / (double)(count - 1);
	return side;
}

void run_means(const struct run_value *runs, const size_t counts[static 2],
	       struct run_mean ret_means[static 2])
{
	const struct side sides[SIDES] = { side_of(runs, counts[BEFORE]),
					   side_of(runs + counts[BEFORE], counts[AFTER]) };

	for (int i = 0; i < SIDES; i++) {
		const size_t others = counts[!i];
		double variance = counts[i] > 1 ? sides[i].variance
				  : others > 1	? sides[!i].variance
						: INFINITY;

		ret_means[i] = (struct run_mean){
			.mean = sides[i].mean,
			.variance = fmax(variance, sides[i].sampling) / (double)counts[i],
			.freedom = (double)(counts[i] - 1),
		};
	}
}

/* ---- drift of the machine ---- */

struct run_drift run_means_drift(const struct run_mean rests[static 2])
{
	const struct run_mean *before = &rests[BEFORE], *after = &rests[AFTER];
	double own, variance, change;

	if (!(before->mean > 0 && after->mean > 0))
		return (struct run_drift){ 1, square(RUN_DRIFT) };
	own = before->variance / square(before->mean) + after->variance / square(after->mean);
	variance = square(RUN_DRIFT) * own / (square(RUN_DRIFT) + own);
	change = log(after->mean / before->mean) * square(RUN_DRIFT) / (square(RUN_DRIFT) + own);
	change = fmax(fmin(change, log(RUN_MACHINE_MAX)), -log(RUN_MACHINE_MAX));
	return (struct run_drift){ exp(change), variance };
}

/* ---- the change ---- */

/* Returns the degrees of freedom of the sum of two variances. */
static double freedom_of(const struct run_mean *a, const struct run_mean *b, double a_variance)
{
	double below;

	if (!(a->freedom > 0) || !(b->freedom > 0))
		return fmax(fmax(a->freedom, b->freedom), 1);
	below = square(a_variance) / a->freedom + square(b->variance) / b->freedom;
	return below > 0 ? square(a_variance + b->variance) / below : a->freedom + b->freedom;
}

struct change run_means_change(const struct run_mean means[static 2], double factor,
			       const struct run_drift *drift)
{
	const struct run_mean *before = &means[BEFORE], *after = &means[AFTER];
	double all = factor * (drift ? drift->factor : 1), scaled = square(all) * before->variance;
	double by_drift = drift ? drift->variance * square(all * before->mean) : 0;

	return (struct change){
		.value = after->mean - all * before->mean,
		.variance = scaled + after->variance + by_drift,
		.freedom = freedom_of(before, after, scaled),
	};
}
