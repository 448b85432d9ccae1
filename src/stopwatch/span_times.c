/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/span_times.h"

#include <math.h>
#include <string.h>

#define TWO_TO_32 4294967296.0
#define NORMAL_95 1.959964

void span_times_merge(struct span_times *times, const struct span_times *other)
{
	times->no_amount += other->no_amount;
	times->values += other->values;
	times->unsent += other->unsent;
	for (size_t i = 0; i < SPAN_MISSES; i++)
		times->misses[i] += other->misses[i];
	if (!other->count)
		return;
	if (!times->count || other->least_ns < times->least_ns)
		times->least_ns = other->least_ns;
	if (other->most_ns > times->most_ns)
		times->most_ns = other->most_ns;
	times->count += other->count;
	times->total_ns += other->total_ns;
	times->square_ns2 += other->square_ns2;
	times->probes_ns += other->probes_ns;
	times->off_ns += other->off_ns;
	times->run_queue_ns += other->run_queue_ns;
	times->incomplete += other->incomplete;
	for (size_t i = 0; i < SPAN_COUNTERS; i++)
		times->counts[i] += other->counts[i];
	for (size_t i = 0; i < SPAN_BUCKETS; i++)
		times->buckets[i] += other->buckets[i];
}

void span_times_add(struct span_times *times, const struct span_sum *sum)
{
	struct span_times other = {
		.count = sum->count,
		.total_ns = (double)sum->ns,
		.square_ns2 = (double)sum->square_high * TWO_TO_32 + (double)sum->square_low,
		.probes_ns = (double)sum->probes_ns,
		.off_ns = (double)sum->off_ns,
		.run_queue_ns = (double)sum->run_queue_ns,
		.incomplete = sum->incomplete,
		.no_amount = sum->no_amount,
		.values = (double)sum->values,
		.unsent = sum->unsent,
		.least_ns = UINT64_MAX - sum->least,
		.most_ns = sum->most_ns,
	};

	memcpy(other.misses, sum->misses, sizeof(other.misses));
	memcpy(other.buckets, sum->buckets, sizeof(other.buckets));
	for (size_t i = 0; i < SPAN_COUNTERS; i++)
		other.counts[i] = (double)sum->counts[i];
	span_times_merge(times, &other);
}

static uint64_t less(uint64_t ns, uint64_t cost_ns)
{
	return ns > cost_ns ? ns - cost_ns : 0;
}

/*
 * Returns what the calls that took at least twice @cost_ns have taken longer than that. This is
 * time of their own, however far the true costs scatter around @cost_ns.
 */
static double least_total_ns(const struct span_times *times, uint64_t cost_ns)
{
	double total_ns = 0;

	for (uint32_t i = 0; i < SPAN_BUCKETS; i++) {
		uint64_t start_ns = span_bucket_start_ns(i);

		if (start_ns >= 2 * cost_ns)
			total_ns += (double)times->buckets[i] * (double)(start_ns - cost_ns);
	}
	return fmax(total_ns, (double)less(times->most_ns, cost_ns));
}

void span_times_subtract(struct span_times *times, uint64_t cost_ns)
{
	uint64_t buckets[SPAN_BUCKETS] = { 0 };
	double cost = (double)cost_ns, count = (double)times->count;
	double least_ns = least_total_ns(times, cost_ns);
	double square_ns2 = times->square_ns2 - 2 * cost * times->total_ns + count * cost * cost;

	for (uint32_t i = 0; i < SPAN_BUCKETS; i++) {
		uint64_t middle_ns = (span_bucket_start_ns(i) + span_bucket_start_ns(i + 1)) / 2;

		buckets[span_bucket(less(middle_ns, cost_ns))] += times->buckets[i];
	}
	memcpy(times->buckets, buckets, sizeof(buckets));
	times->square_ns2 = square_ns2 > 0 ? square_ns2 : 0;
	times->total_ns = fmax(times->total_ns - count * cost, least_ns);
	times->least_ns = less(times->least_ns, cost_ns);
	times->most_ns = less(times->most_ns, cost_ns);
}

void span_times_subtract_counts(struct span_times *times, const uint64_t cost[SPAN_COUNTERS])
{
	for (size_t i = 0; i < SPAN_COUNTERS; i++)
		times->counts[i] = fmax(times->counts[i] - (double)times->count * (double)cost[i],
					0);
}

double span_mean_count(const struct span_times *times, size_t counter)
{
	return times->count ? times->counts[counter] / (double)times->count : NAN;
}

void span_times_since(struct span_times *times, const struct span_times *earlier)
{
	uint32_t first = SPAN_BUCKETS, last = 0;

	times->count -= earlier->count;
	times->total_ns -= earlier->total_ns;
	times->square_ns2 -= earlier->square_ns2;
	times->probes_ns -= earlier->probes_ns;
	times->off_ns -= earlier->off_ns;
	times->run_queue_ns -= earlier->run_queue_ns;
	times->incomplete -= earlier->incomplete;
	times->no_amount -= earlier->no_amount;
	times->values -= earlier->values;
	times->unsent -= earlier->unsent;
	for (size_t i = 0; i < SPAN_COUNTERS; i++)
		times->counts[i] -= earlier->counts[i];
	for (size_t i = 0; i < SPAN_MISSES; i++)
		times->misses[i] -= earlier->misses[i];
	for (uint32_t i = 0; i < SPAN_BUCKETS; i++) {
		times->buckets[i] -= earlier->buckets[i];
		if (times->buckets[i] && first == SPAN_BUCKETS)
			first = i;
		if (times->buckets[i])
			last = i;
	}
	if (!earlier->count)
		return;
	times->least_ns = times->count ? span_bucket_start_ns(first) : 0;
	if (!times->count)
		times->most_ns = 0;
	else if (times->most_ns > span_bucket_start_ns(last + 1))
		times->most_ns = span_bucket_start_ns(last + 1);
}

double span_mean_ns(const struct span_times *times)
{
	return times->count ? times->total_ns / (double)times->count : 0;
}

double span_deviation_ns(const struct span_times *times)
{
	double count = (double)times->count, mean = span_mean_ns(times), square;

	if (times->count < 2)
		return 0;
	square = (times->square_ns2 - count * mean * mean) / (count - 1);
	return square > 0 ? sqrt(square) : 0;
}

/* Returns the duration of the span with this rank (from 1 on) in the order of durations. */
static double at_rank(const struct span_times *times, double rank, bool at_end)
{
	double before = 0;

	for (uint32_t i = 0; i < SPAN_BUCKETS; i++) {
		double here = (double)times->buckets[i];
		double start = (double)span_bucket_start_ns(i);
		double width = (double)span_bucket_start_ns(i + 1) - start;

		if (here > 0 && before + here >= rank) {
			double part = at_end ? 1 : (rank - before) / here;
			double ns = start + width * part;

			return fmin(fmax(ns, (double)times->least_ns), (double)times->most_ns);
		}
		before += here;
	}
	return (double)times->most_ns;
}

struct span_percentile span_percentile(const struct span_times *times, double share)
{
	double count = (double)times->count, middle = share * count;
	double half = NORMAL_95 * sqrt(count * share * (1 - share));
	double low = floor(middle - half), high = ceil(middle + half) + 1;
	struct span_percentile result = { .is_known = times->count && high <= count };

	if (!times->count)
		return result;
	result.ns = at_rank(times, fmax(ceil(middle), 1), false);
	result.low_ns = low < 1 ? (double)times->least_ns : at_rank(times, low, false);
	result.high_ns = result.is_known ? at_rank(times, high, true) : INFINITY;
	if (result.low_ns > result.ns)
		result.low_ns = result.ns;
	return result;
}
