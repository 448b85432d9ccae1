/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/significance.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/interval.h"

#define LEVELS 3		/* single blocks, pairs, groups of four */
#define LEVEL_PAIRS 1
#define FREEDOM_MIN 1.0
/* number of pairs of terms of the continued fraction that are computed */
#define TERMS 60
#define STEPS_MAX 100		/* limit for Newton's method */

/* ---- shares ---- */

/*
 * Returns the clustered variance with @width neighboring blocks merged into one, or -1 with fewer
 * than two blocks.
 */
static double variance_of_blocks(const struct ratio_series *series, double share, double whole,
				 size_t width, size_t *ret_blocks)
{
	double squares = 0;
	size_t blocks = 0;

	for (size_t i = 0; i < series->block_count; i += width) {
		double part = 0, of = 0;

		for (size_t j = i; j < i + width && j < series->block_count; j++) {
			part += series->parts[j];
			of += series->wholes[j];
		}
		squares += (part - share * of) * (part - share * of);
		blocks += of > 0;
	}
	*ret_blocks = blocks;
	if (blocks < 2)
		return -1;
	return (double)blocks / (double)(blocks - 1) * squares / (whole * whole);
}

/*
 * Uses the largest of three variances: that of single blocks, that of pairs, and that of groups of
 * four. From run to run, the largest of the three varies less than the variance of the groups of
 * four alone. So if the groups of four have the largest variance, it gets the degrees of freedom of
 * the pairs.
 */
static void find_clustered(const struct ratio_series *series, double whole, struct ratio *ratio)
{
	double freedom = 0;

	for (size_t level = 0; level < LEVELS; level++) {
		size_t blocks;
		double variance = variance_of_blocks(series, ratio->share, whole,
						     (size_t)1 << level, &blocks);

		if (level <= LEVEL_PAIRS && blocks > 1)
			freedom = (double)(blocks - 1);
		if (variance > ratio->clustered) {
			ratio->clustered = variance;
			ratio->freedom = freedom;
		}
	}
}

struct ratio ratio_of(const struct ratio_series *series)
{
	struct ratio ratio = { .samples = series->samples, .clustered = -1 };
	double part = 0, whole = 0;

	for (size_t i = 0; i < series->block_count; i++) {
		part += series->parts[i];
		whole += series->wholes[i];
	}
	if (whole > 0) {
		ratio.share = part / whole;
		find_clustered(series, whole, &ratio);
	}
	if (ratio.clustered < 0)
		ratio.clustered = INFINITY;
	return ratio;
}

/* ---- changes ---- */

static double binomial(double share, double samples)
{
	return samples > 0 ? fmax(share * (1 - share), 0) / samples : 0;
}

/*
 * Returns the design effect: the largest of 1, the estimate from both sides together (@of_both),
 * and the estimate from @ratio alone. The last one is used only if @ratio has enough hits.
 */
static double design_of(const struct ratio *ratio, double of_both)
{
	double own = binomial(ratio->share, ratio->samples), design = fmax(of_both, 1);

	if (own > 0 && ratio->share * ratio->samples >= INTERVAL_FEW)
		design = fmax(design, ratio->clustered / own);
	return design;
}

static double design_of_both(const struct ratio *a, const struct ratio *b)
{
	double weight_a = a->samples * fmax(a->share * (1 - a->share), 0);
	double weight_b = b->samples * fmax(b->share * (1 - b->share), 0);

	if (weight_a + weight_b <= 0)
		return 1;
	return (a->clustered * a->samples * a->samples + b->clustered * b->samples * b->samples) /
	       (weight_a + weight_b);
}

/*
 * Returns the variance that @ratio would have if its true share were @share. This is the binomial
 * variance times @design. If @share is the measured share, the result is at least the measured
 * variance.
 */
static double variance_at(const struct ratio *ratio, double share, double design)
{
	double variance = binomial(share, ratio->samples) * design;

	return share == ratio->share ? fmax(variance, ratio->clustered) : variance;
}

static struct change with_variance(double value, double before, double freedom_before, double after,
				   double freedom_after)
{
	double variance = before + after;
	double below = before * before / fmax(freedom_before, FREEDOM_MIN) +
		       after * after / fmax(freedom_after, FREEDOM_MIN);

	return (struct change){
		.value = value,
		.variance = variance,
		.freedom = below > 0 ? variance * variance / below : FREEDOM_MIN,
	};
}

struct change change_of(const struct ratio *before, const struct ratio *after, double factor)
{
	double value = after->share - factor * before->share;
	double both = design_of_both(before, after), square = factor * factor;
	double design_before = design_of(before, both), design_after = design_of(after, both);
	double samples = before->samples + factor * after->samples;
	struct change seen, null;
	double same;

	if (!isfinite(before->clustered) || !isfinite(after->clustered) || !(samples > 0))
		return (struct change){ value, INFINITY, FREEDOM_MIN };
	same = (before->share * before->samples + after->share * after->samples) / samples;
	seen = with_variance(value, square * variance_at(before, before->share, design_before),
			     before->freedom, variance_at(after, after->share, design_after),
			     after->freedom);
	null = with_variance(value, square * binomial(same, before->samples) * design_before,
			     before->freedom,
			     binomial(fmin(factor * same, 1), after->samples) * design_after,
			     after->freedom);
	return seen.variance > null.variance ? seen : null;
}

double change_p_above(const struct change *change, double limit)
{
	double distance = change->value - limit, t;

	if (!isfinite(change->variance))
		return 1;
	if (change->variance <= 0)
		return distance > 0 ? 0 : 1;
	t = distance / sqrt(change->variance);
	return t >= 0 ? student_tail(t, change->freedom) : 1 - student_tail(-t, change->freedom);
}

double change_p(const struct change *change, double limit)
{
	struct change above = *change;

	above.value = limit + fabs(change->value - limit);
	return fmin(2 * change_p_above(&above, limit), 1);
}

double change_half_width(const struct change *change, double confidence)
{
	if (!isfinite(change->variance))
		return INFINITY;
	return sqrt(change->variance) * student_quantile((1 - confidence) / 2, change->freedom);
}

/* ---- distributions ---- */

/*
 * Computes the continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8).
 */
static double beta_fraction(double x, double a, double b)
{
	double value = 1;

	for (int m = TERMS; m >= 0; m--) {
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));

		value = 1 + odd / value;
		if (m > 0)
			value = 1 + even / value;
	}
	return 1 / value;
}

/* x^a (1 - x)^b / B(a, b) */
static double beta_scale(double x, double a, double b)
{
	return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
}

/*
 * Computes the incomplete beta function I_x(a, b). The continued fraction converges fast if x is
 * below the distribution's mean. For a larger x, the fraction is computed for 1 - x.
 */
static double beta_part(double x, double a, double b)
{
	if (x <= 0 || x >= 1)
		return x >= 1;
	if (x < (a + 1) / (a + b + 2))
		return beta_scale(x, a, b) * beta_fraction(x, a, b) / a;
	return 1 - beta_scale(x, a, b) * beta_fraction(1 - x, b, a) / b;
}

double student_tail(double t, double freedom)
{
	if (t < 0)
		return 1 - student_tail(-t, freedom);
	return beta_part(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

static double student_density(double t, double freedom)
{
	double scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) /
		       sqrt(freedom * acos(-1));

	return scale * pow(1 + t * t / freedom, -(freedom + 1) / 2);
}

/*
 * Uses Newton's method, starting from 0. The tail is convex, so no step goes beyond the solution.
 */
double student_quantile(double tail, double freedom)
{
	double t = 0;

	for (int step = 0; step < STEPS_MAX; step++) {
		double further = (student_tail(t, freedom) - tail) / student_density(t, freedom);

		t += further;
		if (!(further > t * 1e-9))
			break;
	}
	return t;
}

/* ---- many tests ---- */

static int compare_ps(const void *a, const void *b, void *arg)
{
	size_t left = *(const size_t *)a, right = *(const size_t *)b;
	const double *const *ps = arg;
	double p = (*ps)[left], other = (*ps)[right];

	if (p != other)
		return p < other ? -1 : 1;
	return (left > right) - (left < right);
}

void holm_adjust(const double *ps, size_t *order, size_t count, double *ret_adjusted)
{
	double least = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	if (count)
		qsort_r(order, count, sizeof(*order), compare_ps, &ps);
	for (size_t i = 0; i < count; i++) {
		least = fmax(least, fmin(ps[order[i]] * (double)(count - i), 1));
		ret_adjusted[order[i]] = least;
	}
}
