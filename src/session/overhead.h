/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overhead.h - which sampling rate a limit on the profiler's share of the machine allows
 *
 * The share of all CPUs' time that sampling takes is
 *
 *	rate x cost of an interrupt  +  CPU time of the collector / (wall time x CPUs)
 *
 * where the first is known from calibrate.h and the second is measured once a second.  The
 * collector's share is taken to go with the rate, so the rate that meets the limit is
 *
 *	limit / (cost + share of the collector / rate)
 *
 * The rate falls as soon as the limit is passed, and then to OVERHEAD_AIM of it: the collector's
 * share is never quite the same, and a rate just at the limit would fall again and again.  It
 * rises again, never above what was asked for, where a quarter more would still be within the
 * limit: each change costs every CPU a tick.  It does not fall below OVERHEAD_RATE_MIN_HZ; what is
 * left then is not the rate's doing.
 *
 * Interrupts of idle CPUs count: the timer fires there, too.
 */
#ifndef ASSAY_SESSION_OVERHEAD_H
#define ASSAY_SESSION_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#define OVERHEAD_STEP_NS UINT64_C(980000000)	/* a second, as far as timers keep it */
#define OVERHEAD_RATE_MIN_HZ 10u
#define OVERHEAD_RAISE 1.25
#define OVERHEAD_AIM 0.9

struct overhead {
	double limit;			/* share of the machine's CPU time: 0.01 */
	uint64_t interrupt_ns;		/* what one costs; the upper end of what is known */
	uint32_t cpu_count;
	uint64_t asked_hz;
	uint64_t rate_hz;		/* in force */
	double collector;		/* its share in the last step */
	uint64_t last_ns, last_cpu_ns;	/* of the last step */
};

/* The rate to begin with, when of the collector nothing is known yet; also in rate_hz. */
uint64_t overhead_begin(struct overhead *overhead);

/* Sampling starts at @now_ns; the collector has used @cpu_ns so far. */
void overhead_start(struct overhead *overhead, uint64_t now_ns, uint64_t cpu_ns);

/*
 * True when rate_hz is another one now, which the caller then sets.  Called more often than each
 * OVERHEAD_STEP_NS it has nothing to say.
 */
bool overhead_step(struct overhead *overhead, uint64_t now_ns, uint64_t cpu_ns);

/* Of the machine, as of the last step. */
double overhead_share(const struct overhead *overhead);

#endif
