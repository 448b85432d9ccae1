/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span_times.h - what the durations of one span are like: mean, deviation, percentiles */
#ifndef ASSAY_STOPWATCH_SPAN_TIMES_H
#define ASSAY_STOPWATCH_SPAN_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/span.h"
#include "model/span.h"

/* Of all CPUs. If values are measured, those take the place of durations. */
struct span_times {
	uint64_t count;
	double total_ns;
	double square_ns2;		/* sum of the squares */
	/* what probes of nested calls, and the sampler, took; not in the durations */
	double probes_ns;
	double off_ns;			/* of the total: not on a CPU */
	double run_queue_ns;		/* of that: waiting for one */
	double counts[SPAN_COUNTERS];
	uint64_t incomplete;		/* calls of which a part of their counts is missing */
	uint64_t no_amount;		/* calls whose value was negative or an address */
	double values;			/* of the others, if the time is measured, too */
	uint64_t unsent;		/* that a recording lacks */
	uint64_t least_ns, most_ns;	/* 0 if count is 0 */
	uint64_t misses[SPAN_MISSES];
	uint64_t buckets[SPAN_BUCKETS];
};

/* A span as it is shown. The names are borrowed. */
struct span_row {
	enum span_kind kind;
	const char *image;		/* see struct stopwatch_span */
	const char *name;
	const struct span_group *group;	/* NULL: those of no group, or there are no groups */
	/* for SPAN_BY_CALLER and SPAN_BY_CGROUP: its name, or what is known of it */
	const char *group_name;
	struct span_times times;	/* without the cost of the probes */
	uint64_t inside_ns;		/* which was this, for each call */
	const uint64_t *inside_counts;	/* SPAN_COUNTERS of them */
	uint64_t slow_ns;		/* from here on it is slow; 0: not known */
	double slow_count;		/* how many are */
	const struct span_times *slow;	/* those that were recorded; NULL: not known */
};

void span_times_add(struct span_times *times, const struct span_sum *sum);
void span_times_merge(struct span_times *times, const struct span_times *other);

/*
 * Takes @cost_ns, the share of the probes, away from each duration; none becomes negative. If the
 * probes took less than that, the total could become less than what single long calls took: it is
 * at least the sum of what calls of twice @cost_ns or more took longer than @cost_ns.
 */
void span_times_subtract(struct span_times *times, uint64_t cost_ns);

/* Takes away what the probes of each call have counted. */
void span_times_subtract_counts(struct span_times *times, const uint64_t cost[SPAN_COUNTERS]);

/*
 * Takes away what was there earlier. The shortest and the longest duration since then are not
 * known exactly: they become the limits of their buckets.
 */
void span_times_since(struct span_times *times, const struct span_times *earlier);

/* Returns how often an event was counted in a call, on average; NAN if there are no calls. */
double span_mean_count(const struct span_times *times, size_t counter);
double span_mean_ns(const struct span_times *times);		/* 0 if there are none */
double span_deviation_ns(const struct span_times *times);	/* with n - 1; 0 if n < 2 */

struct span_percentile {
	double ns;			/* estimate, within its bucket */
	double low_ns, high_ns;		/* 95 % interval, with the width of the buckets */
	bool is_known;			/* there are enough spans for an upper limit */
};

/*
 * Returns the duration that a @share (such as 0.99) of the spans do not exceed. The spans that were
 * measured are taken for a sample of all that could have been: the interval is that of order
 * statistics (binomial, by its normal approximation).
 */
struct span_percentile span_percentile(const struct span_times *times, double share);

#endif
