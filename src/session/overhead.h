/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overhead.h - adapts the sampling rate to a limit on the profiler's own CPU usage
 *
 * The share of all CPUs' time that sampling uses is
 *
 *	rate x cost of an interrupt  +  CPU time of the collector / (wall time x CPUs)
 *
 * perf/calibrate.h measures the cost of an interrupt. The second term is the collector's share. It
 * is measured once a second and assumed to be proportional to the rate. So the rate that meets the
 * limit is
 *
 *	limit / (cost of an interrupt + collector's share / current rate)
 *
 * As soon as the limit is exceeded, the rate is lowered. The new rate uses only the share
 * OVERHEAD_AIM of the limit. Without this margin, the rate would have to be lowered again and
 * again, because the collector's share varies. The rate is raised only by a quarter or more,
 * because each change costs every CPU one tick and a smaller step is not worth that. It is never
 * raised above the requested rate, and never lowered below OVERHEAD_RATE_MIN_HZ. If the overhead
 * still exceeds the limit at this minimum, the rate is not the cause.
 *
 * Interrupts of idle CPUs are included, because the timer fires there too.
 */
#ifndef ASSAY_SESSION_OVERHEAD_H
#define ASSAY_SESSION_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#define OVERHEAD_STEP_NS UINT64_C(980000000)	/* one second, less a margin for early timers */
#define OVERHEAD_RATE_MIN_HZ 10u
#define OVERHEAD_RAISE 1.25
#define OVERHEAD_AIM 0.9

struct overhead {
	double limit;			/* share of the machine's CPU time, e.g. 0.01 */
	uint64_t interrupt_ns;		/* upper estimate of the cost of one interrupt */
	uint32_t cpu_count;
	uint64_t asked_hz;
	uint64_t rate_hz;		/* rate that meets the limit */
	/* rate at which the current step samples: rate_hz, but for the caller's variation of it */
	uint64_t drawn_hz;
	/* collector's share of the machine's CPU time in the most recent step */
	double collector;
	/* timestamp and the collector's total CPU time at the end of the most recent step */
	uint64_t last_ns, last_cpu_ns;
};

/*
 * Sets rate_hz to the initial rate and returns it. The initial rate does not take the collector's
 * share into account, because the share is not known yet.
 */
uint64_t overhead_begin(struct overhead *overhead);

/*
 * Must be called when sampling starts. @now_ns is the current time, and @cpu_ns is the CPU time
 * that the collector has used so far.
 */
void overhead_start(struct overhead *overhead, uint64_t now_ns, uint64_t cpu_ns);

/*
 * Measures the share since the last step and adapts rate_hz. Returns true if rate_hz has changed;
 * the caller must then set the events to rate_hz. Does nothing and returns false if the last step
 * was less than OVERHEAD_STEP_NS ago.
 */
bool overhead_step(struct overhead *overhead, uint64_t now_ns, uint64_t cpu_ns);

#endif
