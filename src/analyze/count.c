/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/count.h"

double count_share(const struct count *part, const struct count *whole, bool by_weight)
{
	uint64_t all = count_rank(whole, by_weight);

	return all ? (double)count_rank(part, by_weight) / (double)all : 0;
}

struct interval count_interval(const struct count *part, const struct count *whole, bool by_weight)
{
	double weight = (double)whole->weight, equal_samples;

	if (!by_weight)
		return interval_share(part->samples, whole->samples);
	if (whole->squares <= 0)
		return (struct interval){ 0, 1 };
	equal_samples = weight * weight / whole->squares;
	return interval_of(count_share(part, whole, true) * equal_samples, equal_samples);
}
