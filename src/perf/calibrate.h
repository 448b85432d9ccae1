/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate.h - what one sampling interrupt costs on this machine
 *
 * The timer's interrupt, not what is done in it, is most of what sampling costs: some 2 us on bare
 * metal, more than 10 where a hypervisor has to be entered for it.  It is measured by doing the
 * same work in pairs of slices on one CPU, without and with a cpu-clock event whose samples nobody
 * reads: what the second took longer, divided by the ticks that came, is the cost of one.  Ticks
 * are counted, not computed: each leaves 16 bytes in a ring that overwrites itself.
 *
 * The figure is the median of the pairs, its interval the order statistics that hold the true
 * median with 95 % confidence, whatever the noise looks like.  Pairs in which the CPU was given to
 * another task are left out; a machine that is stolen from shows as a wide interval.
 *
 * The rate is CALIBRATE_RATE_HZ, or what the kernel allows: at 999 Hz 200 ms bring 100 ticks, which
 * drown in noise.  Ticks that are further apart find colder caches, and can cost somewhat more or,
 * where they coincide with the kernel's own, less.
 *
 * Another way would be the CPU time of the thread; kernels that account for interrupts apart
 * (CONFIG_IRQ_TIME_ACCOUNTING) leave out of it just what is looked for.
 */
#ifndef ASSAY_PERF_CALIBRATE_H
#define ASSAY_PERF_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CALIBRATE_RATE_HZ 10000u
#define CALIBRATE_PAIRS 100	/* that are wanted */
#define CALIBRATE_PAIRS_MIN 6	/* fewer have no interval of 95 % */
#define CALIBRATE_SLICE_NS 1000000u
#define CALIBRATE_TIME_MAX_NS 500000000u	/* to get them in, on a machine that is busy */

struct calibration_pair {
	uint64_t quiet_ns, sampled_ns;	/* what the same work took */
	uint64_t tick_count;		/* in the sampled slice; 0: the pair says nothing */
};

struct interrupt_cost {
	uint64_t cost_ns;		/* of one interrupt */
	uint64_t low_ns, high_ns;	/* the 95 % interval */
	uint32_t rate_hz;		/* at which it was measured */
	uint32_t pair_count;		/* that it is the median of */
};

/*
 * The cost by @pairs, which are reordered; rate_hz is the caller's. -ENODATA: too few of them can
 * be used.  What would be negative is 0.
 */
int interrupt_cost_of(struct calibration_pair *pairs, size_t count,
		      struct interrupt_cost *ret_cost);

/*
 * Measures it, on the CPU that the thread is on and stays on meanwhile; takes some 200 ms of it,
 * and up to CALIBRATE_TIME_MAX_NS where pairs have to be left out.
 * -ENODATA: the machine is too busy; others: what the kernel said to the event.
 */
int interrupt_cost_measure(struct interrupt_cost *ret_cost, struct err *err);

/* The share of each CPU that @rate_hz interrupts a second take. */
static inline double interrupt_share(uint64_t cost_ns, double rate_hz)
{
	return (double)cost_ns * rate_hz / 1e9;
}

#endif
