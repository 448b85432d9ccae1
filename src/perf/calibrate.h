/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate.h - measures what one sampling interrupt costs on this machine
 *
 * Most of the cost of sampling is the timer interrupt itself, not the work done in it: about 2 us
 * on bare metal, and more than 10 us if the interrupt must enter a hypervisor. To measure it, the
 * same work is done in pairs of time slices on one CPU: in one slice without sampling, and in the
 * other with a cpu-clock event whose samples are not read. The extra time of the sampled slice,
 * divided by the number of ticks (timer interrupts) in it, is the cost of one tick. The number of
 * ticks is not computed from the rate but counted: each tick writes 16 bytes into a ring that
 * overwrites itself.
 *
 * The result is the median of all pairs. Its 95 % confidence interval is given by order statistics,
 * which needs no assumption about the noise. Pairs during which the CPU switched to another task
 * are left out. If a hypervisor takes time away from this machine, the interval becomes wide.
 *
 * The ticks come at CALIBRATE_RATE_HZ, or at a lower rate if the kernel allows no more. At 999 Hz,
 * there would be only 100 ticks in 200 ms, and their cost would be lost in the noise. In a
 * recording, ticks are further apart. They then find colder caches and can cost somewhat more, or
 * less if they coincide with the kernel's own ticks.
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
#define CALIBRATE_PAIRS_MIN 6	/* fewer pairs do not give a 95 % interval */
#define CALIBRATE_SLICE_NS 1000000u
#define CALIBRATE_TIME_MAX_NS 500000000u	/* time limit on a busy machine */

struct calibration_pair {
	/* duration of the same work in the slice without and in the slice with sampling */
	uint64_t quiet_ns, sampled_ns;
	uint64_t tick_count;		/* ticks in the sampled slice; 0: the pair is unusable */
};

struct interrupt_cost {
	uint64_t cost_ns;		/* cost of one interrupt (the median) */
	uint64_t low_ns, high_ns;	/* 95 % confidence interval of cost_ns */
	uint32_t rate_hz;		/* rate at which the cost was measured */
	uint32_t pair_count;		/* number of pairs of which cost_ns is the median */
};

/*
 * Computes the cost from @pairs, which are reordered. Does not set rate_hz. A negative result
 * becomes 0. Returns 0, or -ENODATA if too few pairs are usable.
 */
int interrupt_cost_of(struct calibration_pair *pairs, size_t count,
		      struct interrupt_cost *ret_cost);

/*
 * Measures the cost on the current CPU. The thread is bound to this CPU during the measurement.
 * This takes about 200 ms, and up to CALIBRATE_TIME_MAX_NS if pairs have to be left out. Returns 0,
 * -ENODATA if the machine is too busy, or the error of opening or mapping the event.
 */
int interrupt_cost_measure(struct interrupt_cost *ret_cost, struct err *err);

/* Returns the share of each CPU that @rate_hz interrupts per second take. */
static inline double interrupt_share(uint64_t cost_ns, double rate_hz)
{
	return (double)cost_ns * rate_hz / 1e9;
}

#endif
