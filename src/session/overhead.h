/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overhead.h - adapts the sampling rate to a limit on the profiler's share of the machine
 *
 * The share of all CPUs' time that sampling takes is
 *
 *	rate x cost of an interrupt  +  CPU time of the collector / (wall time x CPUs)
 *
 * The cost of an interrupt is known from calibrate.h; the collector's CPU time is measured once a
 * second. The collector's share is assumed to be proportional to the rate, so the rate that meets
 * the limit is
 *
 *	limit / (cost + share of the collector / rate)
 *
 * As soon as the limit is exceeded the rate falls, to OVERHEAD_AIM of the rate that meets the
 * limit: the collector's share varies, so a rate exactly at the limit would have to fall again and
 * again. The rate rises, at most to the requested rate, if a rate a quarter higher would still be
 * within the limit; smaller steps are not worth it, because each change costs every CPU a tick. The
 * rate never falls below OVERHEAD_RATE_MIN_HZ; overhead that remains at this rate does not come
 * from the rate.
 *
 * Interrupts of idle CPUs are included, because the timer fires there too.
 */
#ifndef ASSAY_SESSION_OVERHEAD_H
#define ASSAY_SESSION_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#define OVERHEAD_STEP_NS UINT64_C(980000000)	/* one second, allowing for early timers */
#define OVERHEAD_RATE_MIN_HZ 10u
#define OVERHEAD_RAISE 1.25
#define OVERHEAD_AIM 0.9

struct overhead {
	double limit;			/* share of the machine's CPU time, e.g. 0.01 */
	uint64_t interrupt_ns;		/* cost of one interrupt; upper end of the estimate */
	uint32_t cpu_count;
	uint64_t asked_hz;
	uint64_t rate_hz;		/* rate in force */
	double collector;		/* collector's share in the last step */
	uint64_t last_ns, last_cpu_ns;	/* at the end of the last step */
};

/*
 * Returns the initial rate, before anything is known about the collector, and sets rate_hz to it.
 */
uint64_t overhead_begin(struct overhead *overhead);

/* Sampling starts at @now_ns; the collector has used @cpu_ns of CPU time so far. */
void overhead_start(struct overhead *overhead, uint64_t now_ns, uint64_t cpu_ns);

/*
 * Returns true if rate_hz has changed; the caller then sets that rate. Calls within
 * OVERHEAD_STEP_NS of the last step do nothing and return false.
 */
bool overhead_step(struct overhead *overhead, uint64_t now_ns, uint64_t cpu_ns);

#endif
