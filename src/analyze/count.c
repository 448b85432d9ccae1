/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/count.h"

double count_share(const struct count *part, const struct count *whole, bool by_weight)
{
	uint64_t all = count_rank(whole, by_weight);

	return all ? (double)count_rank(part, by_weight) / (double)all : 0;
}

double count_equal_samples(const struct count *count, bool by_weight)
{
	double weight = (double)count->weight;

	if (!by_weight)
		return (double)count->samples;
	return count->squares > 0 ? weight * weight / count->squares : 0;
}

struct interval count_interval(const struct count *part, const struct count *whole, bool by_weight)
{
	double equal_samples = count_equal_samples(whole, by_weight);

	if (!by_weight)
		return interval_share(part->samples, whole->samples);
	if (!(equal_samples > 0))
		return (struct interval){ 0, 1 };
	return interval_of(count_share(part, whole, true) * equal_samples, equal_samples);
}
