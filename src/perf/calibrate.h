/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate.h - measures what one sampling interrupt costs on this machine
 *
 * Most of the cost of sampling is the timer interrupt itself, not the work done in it: about 2 us
 * on bare metal, and more than 10 us if the interrupt must enter a hypervisor. To measure this
 * cost, a CPU does the same work in pairs of time slices. In one slice of a pair it does not
 * sample. In the other slice a cpu-clock event samples, but nobody reads the samples. The cost of
 * one tick (timer interrupt) is the extra time of the sampled slice divided by the number of ticks
 * in it. The number of ticks is not computed from the rate but counted: each tick writes 16 bytes
 * into a ring buffer, in which new records overwrite old ones.
 *
 * The result is the median of all pairs. Its 95 % confidence interval is computed from order
 * statistics, which requires no assumption about the distribution of the noise. Pairs during which
 * the CPU switched to another task are left out. If a hypervisor takes CPU time away from this
 * machine during the measurement, the interval becomes wide.
 *
 * The ticks come at CALIBRATE_RATE_HZ, or at a lower rate if the kernel does not allow that rate.
 * At 999 Hz there would be only 100 ticks in 100 ms of sampled slices, and their cost would be lost
 * in the noise. In a recording, ticks are further apart. Each tick then finds colder caches and can
 * cost somewhat more. It can also cost less, if it coincides with one of the kernel's own ticks.
 *
 * The CPU time of the thread cannot be used instead of the clock: kernels that account for
 * interrupts separately (CONFIG_IRQ_TIME_ACCOUNTING) exclude exactly the time to be measured.
 */
#ifndef ASSAY_PERF_CALIBRATE_H
#define ASSAY_PERF_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CALIBRATE_RATE_HZ 10000u
#define CALIBRATE_PAIRS 100	/* number of pairs to measure */
#define CALIBRATE_PAIRS_MIN 6	/* fewer pairs cannot give a 95 % confidence interval */
#define CALIBRATE_SLICE_NS 1000000u
/* time limit for all pairs; reached only on a busy machine */
#define CALIBRATE_TIME_MAX_NS 500000000u

struct calibration_pair {
	/*
	 * time that the same work took in the slice without sampling and in the slice with sampling
	 */
	uint64_t quiet_ns, sampled_ns;
	uint64_t tick_count;		/* ticks in the sampled slice; 0: the pair is unusable */
};

struct interrupt_cost {
	uint64_t cost_ns;		/* cost of one interrupt (the median) */
	uint64_t low_ns, high_ns;	/* 95 % confidence interval of cost_ns */
	uint32_t rate_hz;		/* rate at which the cost was measured */
	/* number of usable pairs; cost_ns is the median over them */
	uint32_t pair_count;
};

/*
 * Computes the cost from @pairs, and sorts @pairs. Does not set rate_hz. A negative cost is
 * reported as 0. Returns 0, or -ENODATA if too few pairs are usable.
 */
int interrupt_cost_of(struct calibration_pair *pairs, size_t count,
		      struct interrupt_cost *ret_cost);

/*
 * Measures the cost on the current CPU. The thread is bound to this CPU during the measurement.
 * This takes about 200 ms, and up to CALIBRATE_TIME_MAX_NS if pairs have to be left out. Returns 0,
 * -ENODATA if the machine is too busy, or the error of opening or mapping the event.
 */
int interrupt_cost_measure(struct interrupt_cost *ret_cost, struct err *err);

/* Returns the fraction of a CPU's time that is spent on @rate_hz interrupts per second. */
static inline double interrupt_share(uint64_t cost_ns, double rate_hz)
{
	return (double)cost_ns * rate_hz / 1e9;
}

#endif
