/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_costs.h - what the probes of a function cost on this machine, measured
 *
 * Functions of this program that do nothing are timed, one for each kind of first instruction
 * (probe_entry.h), and system calls that do next to nothing. Of what a call takes with probes, a
 * part is inside its span. It is taken away from all durations. The whole is taken away from calls
 * in which other measured calls are nested.
 */
#ifndef ASSAY_STOPWATCH_PROBE_COSTS_H
#define ASSAY_STOPWATCH_PROBE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/kallsyms.h"
#include "stopwatch/probe_entry.h"
#include "stopwatch/stopwatch.h"

struct probe_costs {
	uint64_t inside_ns[PROBE_COSTS];	/* a span of nothing seems to take this long */
	uint64_t call_ns[PROBE_COSTS];		/* how much longer each call takes */
	struct probe_counts inside, call;
};

/*
 * Measures the kinds of calls that are to be measured with @options, in the same way. The costs of
 * other kinds are 0. Takes about 50 ms, or no time without calls. Returns 0, or an error of
 * stopwatch_load().
 */
int probe_costs_measure(const struct stopwatch_options *options, struct probe_costs *ret_costs,
			struct err *err);

/*
 * Returns how much longer a call takes whose probes are the most expensive. Stores how many spans
 * have probes that cost more than PROBE_SLOW_NS.
 */
#define PROBE_SLOW_NS 5000
uint64_t probe_costs_most_ns(const struct probe_costs *costs, const struct stopwatch *stopwatch,
			     size_t *ret_slow_count);

/* How much of the machine's CPU time the probes of calls take. */
struct probe_overhead {
	uint64_t checked_ns;	/* the last time, and what all calls until then had cost */
	double checked_cost_ns;
	size_t cpu_count;
};

void probe_overhead_begin(struct probe_overhead *overhead, uint64_t now_ns);

/*
 * Returns what the probes have taken since the last time, in percent of the CPU time of all CPUs.
 * Processes that are not measured may pass them, too, which is not counted.
 */
double probe_overhead_percent(struct probe_overhead *overhead, const struct stopwatch *stopwatch,
			      const struct probe_costs *costs, uint64_t now_ns);

#endif
