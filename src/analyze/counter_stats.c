/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/counter_stats.h"

#include <math.h>

struct counter_value counter_value_of(const struct counter_reading *readings, size_t count,
				      size_t stride)
{
	struct counter_value sum = { .value = NAN, .counted_share = 1 };
	double enabled_ns = 0, running_ns = 0, value = 0;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct counter_reading *reading = &readings[i * stride];
		double enabled = (double)reading->enabled_ns, running = (double)reading->running_ns;

		sum.partial |= reading->failed;
		if (reading->failed || reading->absent)
			continue;
		enabled_ns += enabled;
		running_ns += running;
		if (reading->enabled_ns && !reading->running_ns) {
			sum.partial = true;
			continue;
		}
		any = true;
		value += (double)reading->value * (running < enabled ? enabled / running : 1);
	}
	if (any)
		sum.value = value;
	if (enabled_ns > 0)
		sum.counted_share = fmin(running_ns / enabled_ns, 1);
	sum.scaled = running_ns < enabled_ns;
	return sum;
}

static uint64_t minus(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

struct counter_reading counter_since(const struct counter_reading *before,
				     const struct counter_reading *now)
{
	return (struct counter_reading){
		.value = minus(now->value, before->value),
		.enabled_ns = minus(now->enabled_ns, before->enabled_ns),
		.running_ns = minus(now->running_ns, before->running_ns),
		.failed = now->failed,
		.absent = now->absent,
	};
}

struct spread spread_of(const double *values, size_t count)
{
	struct spread spread = { .mean = NAN, .deviation = NAN, .half_width = NAN };
	double sum = 0, squares = 0, freedom;

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		sum += values[i];
		spread.count++;
	}
	if (!spread.count)
		return spread;
	spread.mean = sum / (double)spread.count;
	if (spread.count < 2)
		return spread;
	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			squares += (values[i] - spread.mean) * (values[i] - spread.mean);
	freedom = (double)(spread.count - 1);
	spread.deviation = sqrt(squares / freedom);
	spread.half_width = student_quantile((1 - SPREAD_CONFIDENCE) / 2, freedom) *
			    spread.deviation / sqrt((double)spread.count);
	return spread;
}

static double variance_of_mean(const struct spread *spread)
{
	return spread->deviation * spread->deviation / (double)spread->count;
}

struct change spread_change(const struct spread *before, const struct spread *after)
{
	struct change change = { after->mean - before->mean, INFINITY, 1 };
	double a, b, below;

	if (before->count < 2 || after->count < 2)
		return change;
	a = variance_of_mean(before);
	b = variance_of_mean(after);
	below = a * a / (double)(before->count - 1) + b * b / (double)(after->count - 1);
	change.variance = a + b;
	if (below > 0)
		change.freedom = (a + b) * (a + b) / below;
	return change;
}
