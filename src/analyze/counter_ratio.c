/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/counter_ratio.h"

#include <linux/perf_event.h>
#include <math.h>

#define NS_PER_SECOND 1e9

#define SOFTWARE(which) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##which
#define HARDWARE(which) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##which
#define CACHE_LOAD(which)                                                                         \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_READ << 8
#define CACHE_MISS(which)                                                                         \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_READ << 8 |      \
				    PERF_COUNT_HW_CACHE_RESULT_MISS << 16

/* Type and config that represent elapsed time, which is not an event of the kernel. */
#define ELAPSED PERF_TYPE_MAX, 0

/*
 * If several rows have the same first event, the first row whose second event was counted is used.
 */
static const struct {
	uint32_t of_type;
	uint64_t of;
	uint32_t by_type;
	uint64_t by;
	enum ratio_unit unit;
	const char *name, *phrase;
} ratios[] = {
	{ SOFTWARE(TASK_CLOCK), ELAPSED, RATIO_PLAIN, "cpus-used", "CPUs used" },
	{ SOFTWARE(CPU_CLOCK), ELAPSED, RATIO_PLAIN, "cpus-used", "CPUs used" },
	{ HARDWARE(CPU_CYCLES), SOFTWARE(TASK_CLOCK), RATIO_GHZ, "frequency", "GHz" },
	{ HARDWARE(CPU_CYCLES), SOFTWARE(CPU_CLOCK), RATIO_GHZ, "frequency", "GHz" },
	{ HARDWARE(INSTRUCTIONS), HARDWARE(CPU_CYCLES), RATIO_PLAIN, "instructions-per-cycle",
	  "per cycle" },
	{ HARDWARE(STALLED_CYCLES_FRONTEND), HARDWARE(CPU_CYCLES), RATIO_PERCENT,
	  "stalled-frontend", "of all cycles" },
	{ HARDWARE(STALLED_CYCLES_BACKEND), HARDWARE(CPU_CYCLES), RATIO_PERCENT, "stalled-backend",
	  "of all cycles" },
	{ HARDWARE(BRANCH_MISSES), HARDWARE(BRANCH_INSTRUCTIONS), RATIO_PERCENT, "branch-misses",
	  "of all branches" },
	{ HARDWARE(CACHE_MISSES), HARDWARE(CACHE_REFERENCES), RATIO_PERCENT, "cache-misses",
	  "of all references" },
	{ CACHE_MISS(L1D), CACHE_LOAD(L1D), RATIO_PERCENT, "l1d-misses", "of all reads of L1D" },
	{ CACHE_MISS(L1I), CACHE_LOAD(L1I), RATIO_PERCENT, "l1i-misses", "of all reads of L1I" },
	{ CACHE_MISS(LL), CACHE_LOAD(LL), RATIO_PERCENT, "llc-misses", "of all reads of the LLC" },
	{ CACHE_MISS(DTLB), CACHE_LOAD(DTLB), RATIO_PERCENT, "tlb-data-misses", "of all reads" },
	{ CACHE_MISS(ITLB), CACHE_LOAD(ITLB), RATIO_PERCENT, "tlb-instruction-misses",
	  "of all fetches" },
	{ HARDWARE(BRANCH_INSTRUCTIONS), HARDWARE(INSTRUCTIONS), RATIO_PERCENT, "branches",
	  "of all instructions" },
};

static bool same_code(const struct counter_kind *a, const struct counter_kind *b)
{
	return a->no_user == b->no_user && a->no_kernel == b->no_kernel;
}

static bool in_all_code(const struct counter_kind *kind)
{
	return !kind->no_user && !kind->no_kernel;
}

static bool is_event(const struct counter_kind *kind, uint32_t type, uint64_t config)
{
	return kind->type == type && kind->config == config;
}

/*
 * Returns the index of an event that has this @type and @config and was counted in the same code
 * (user, kernel or both) as @beside. Returns @count if there is no such event.
 */
static size_t find(const struct counter_kind *kinds, size_t count, uint32_t type, uint64_t config,
		   const struct counter_kind *beside)
{
	size_t i = 0;

	/* Clocks count in user and kernel code, whatever was requested. */
	while (i < count &&
	       !(is_event(&kinds[i], type, config) &&
		 (kinds[i].is_time ? in_all_code(beside) : same_code(&kinds[i], beside))))
		i++;
	return i;
}

static bool has_rate(const struct counter_kind *kind)
{
	return !kind->is_time && kind->type != PERF_TYPE_BREAKPOINT;
}

/*
 * Finds the ratio for an event that is not in the table of ratios: events per second of CPU time,
 * with both counted in the same code.
 */
static bool find_rate(const struct counter_kind *kinds, size_t count, size_t index, size_t elapsed,
		      struct counter_ratio *ret_ratio)
{
	size_t by = find(kinds, count, SOFTWARE(TASK_CLOCK), &kinds[index]);

	if (by == count)
		by = find(kinds, count, SOFTWARE(CPU_CLOCK), &kinds[index]);
	if (by == count || !has_rate(&kinds[index]) || index == elapsed)
		return false;
	*ret_ratio = (struct counter_ratio){ "rate", "per second of CPU time", RATIO_PER_SECOND,
					     index, by };
	return true;
}

bool counter_ratio_find(const struct counter_kind *kinds, size_t count, size_t index,
			size_t elapsed, struct counter_ratio *ret_ratio)
{
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		size_t by = elapsed;

		if (!is_event(&kinds[index], ratios[i].of_type, ratios[i].of))
			continue;
		if (ratios[i].by_type != PERF_TYPE_MAX)
			by = find(kinds, count, ratios[i].by_type, ratios[i].by, &kinds[index]);
		if (by == count)
			continue;
		*ret_ratio = (struct counter_ratio){ ratios[i].name, ratios[i].phrase,
						     ratios[i].unit, index, by };
		return true;
	}
	return find_rate(kinds, count, index, elapsed, ret_ratio);
}

double counter_ratio_value(const struct counter_ratio *ratio, double of, double by)
{
	double value = by > 0 ? of / by : NAN;

	switch (ratio->unit) {
	case RATIO_PERCENT:
		return 100 * value;
	case RATIO_PER_SECOND:
		return value * NS_PER_SECOND;
	case RATIO_PLAIN:
	case RATIO_GHZ:
		break;
	}
	return value;
}
