/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/count.h"

#include <math.h>

double count_share(const struct count *part, const struct count *whole, bool by_weight)
{
	uint64_t all = count_rank(whole, by_weight);

	return all ? (double)count_rank(part, by_weight) / (double)all : 0;
}

/* The weight that was not measured. Sums of a forged recording may be inconsistent. */
static double sampled_weight(const struct count *count)
{
	return count->weight > count->measured ? (double)(count->weight - count->measured) : 0;
}

double count_equal_samples(const struct count *count, bool by_weight)
{
	double weight = sampled_weight(count);

	if (!by_weight)
		return (double)count->samples;
	return count->squares > 0 ? weight * weight / count->squares : 0;
}

bool count_is_few(const struct count *count, bool by_weight)
{
	if (!by_weight || !count->measured)
		return count->samples < INTERVAL_FEW;
	return sampled_weight(count) > 0 && count_equal_samples(count, true) < INTERVAL_FEW;
}

/* The interval of a share of which a part is measured and the rest is estimated from samples. */
static struct interval interval_of_weights(const struct count *part, const struct count *whole)
{
	double equal_samples = count_equal_samples(whole, true), all = (double)whole->weight;
	double sampled = sampled_weight(whole), exact = (double)part->measured / all;
	struct interval interval;

	if (!(equal_samples > 0))
		return (struct interval){ 0, 1 };
	/* The sum of all estimates is exact if the rest of the whole was measured. */
	if (whole->measured && part->weight - part->measured == whole->weight - whole->measured)
		return (struct interval){ exact + sampled / all, exact + sampled / all };
	interval = interval_of(sampled_weight(part) / sampled * equal_samples, equal_samples);
	return (struct interval){ fmin(exact + interval.low * (sampled / all), 1),
				  fmin(exact + interval.high * (sampled / all), 1) };
}

struct interval count_interval(const struct count *part, const struct count *whole, bool by_weight)
{
	double share = count_share(part, whole, by_weight);

	if (!by_weight)
		return interval_share(part->samples, whole->samples);
	if (count_is_exact(whole, by_weight))
		return (struct interval){ share, share };
	return interval_of_weights(part, whole);
}
