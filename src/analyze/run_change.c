/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/run_change.h"

#include <math.h>
#include <stdbool.h>

#define BEFORE 0
#define AFTER 1
#define NORMAL_95 1.959964
/* one of many functions varies by RUN_SPREAD, and their sum by about half of it */
#define REST_SPREAD (RUN_SPREAD / 2)

struct run_amount run_rest(const struct run_amount *whole, const struct run_amount *part)
{
	struct run_amount rest = *whole;

	rest.amount = fmax(whole->amount - part->amount, 0);
	rest.kernel = fmin(fmax(whole->kernel - part->kernel, 0), rest.amount);
	return rest;
}

double run_design(const double *parts, const double *wholes, size_t block_count, double unit)
{
	double squares = 0, sum = 0;

	for (size_t i = 1; i < block_count; i++) {
		double step = parts[i] - parts[i - 1];

		if (!(wholes[i] > 0 && wholes[i - 1] > 0))
			continue;
		squares += step * step;
		sum += parts[i] + parts[i - 1];
	}
	/* the difference of two Poisson counts has the variance of their sum */
	return sum > 0 && unit > 0 ? fmax(squares / (sum * unit), 1) : 1;
}

/* ---- the variance of a difference ---- */

static double square(double x)
{
	return x * x;
}

/* The variance that the machine causes, and that of the count by which the amount was divided. */
static double variance_of_run(const struct run_amount *row)
{
	double spread = RUN_SPREAD * (row->amount - row->kernel) + RUN_SPREAD_KERNEL * row->kernel;

	return square(spread) + square(RUN_SPREAD_WHOLE * row->whole) +
	       row->relative * square(row->amount);
}

/*
 * The variance of after - @factor * before: the larger of that of the measured amounts and that of
 * the amounts that both runs would have if this difference were 0. The second is needed because an
 * amount of 0 has a variance of 0.
 */
static double variance_of(const struct run_amount *rows, double factor)
{
	const struct run_amount *before = &rows[BEFORE], *after = &rows[AFTER];
	double seen = after->unit * after->amount + square(factor) * before->unit * before->amount;
	double samples_after = after->unit > 0 ? after->amount / after->unit : 0;
	double samples_before = before->unit > 0 ? before->amount / before->unit : 0;
	double exposure = (after->unit > 0 ? factor / after->unit : 0) +
			  (before->unit > 0 ? 1 / before->unit : 0);
	double same = exposure > 0 ? (samples_after + samples_before) / exposure : 0;
	double null = factor * same * after->unit + square(factor) * same * before->unit;

	return fmax(seen, null) + variance_of_run(after) + square(factor) * variance_of_run(before);
}

/* ---- the change of everything else ---- */

struct rest_change {
	double factor;
	double variance;	/* of the logarithm of the factor */
};

static double log_variance_of(const struct run_amount *rest)
{
	return rest->unit / rest->amount + square(REST_SPREAD) + rest->relative;
}

/*
 * Estimates by how much the machine changed the time of all work. Without a rest, this is 1 with
 * the variance that the machine usually causes. The more exactly the rest is known, the more its
 * own change counts.
 */
static struct rest_change change_of_rest(const struct run_amount *rests)
{
	const struct run_amount *before = &rests[BEFORE], *after = &rests[AFTER];
	double usual = 2 * square(RUN_SPREAD), own, variance, change;

	if (!(before->amount > 0 && after->amount > 0))
		return (struct rest_change){ 1, usual };
	own = log_variance_of(before) + log_variance_of(after);
	variance = 1 / (1 / own + 1 / usual);
	change = log(after->amount / before->amount) * variance / own;
	change = fmax(fmin(change, log(RUN_MACHINE_MAX)), -log(RUN_MACHINE_MAX));
	return (struct rest_change){ exp(change), variance };
}

/* ---- p-values ---- */

/* The probability that a normal variable is above @z. */
static double normal_tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

static double p_above(const struct run_comparison *comparison, double rest, double rest_variance,
		      double sign)
{
	const struct run_amount *rows = comparison->rows;
	double factor = comparison->factor * rest, expected = factor * rows[BEFORE].amount;
	double distance = sign * (rows[AFTER].amount - expected - comparison->limit);
	double variance = variance_of(rows, factor) + rest_variance * square(expected);

	if (variance <= 0)
		return distance > 0 ? 0 : 1;
	return normal_tail(distance / sqrt(variance));
}

static double p_beyond(const struct run_comparison *comparison, double sign)
{
	double p = p_above(comparison, 1, 0, sign);
	struct rest_change rest;

	if (!comparison->rests)
		return p;
	rest = change_of_rest(comparison->rests);
	return fmax(p, p_above(comparison, rest.factor, rest.variance, sign));
}

double run_p_above(const struct run_comparison *comparison)
{
	return p_beyond(comparison, 1);
}

double run_p_below(const struct run_comparison *comparison)
{
	return p_beyond(comparison, -1);
}

double run_p(const struct run_comparison *comparison)
{
	return fmin(2 * fmin(run_p_above(comparison), run_p_below(comparison)), 1);
}

double run_half_width(const struct run_amount *rows)
{
	return NORMAL_95 * sqrt(variance_of(rows, 1));
}
