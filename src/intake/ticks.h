/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ticks.h - how late a timer sample was taken
 *
 * The timer of cpu-clock is a CLOCK_MONOTONIC hrtimer that the kernel forwards by whole periods
 * (hrtimer_forward_now() in perf_swevent_hrtimer()). So on one CPU, the ticks of one event are
 * always at phase + k * period. A sample can be later than its tick but never earlier. The phase is
 * therefore the smallest value seen so far of (time modulo period, on a circle), and the lateness
 * of a sample is its distance from the phase. Only CPU-wide clocks have such a phase.
 *
 * On a circle, "a little early" and "very late" look the same. The first samples may move the phase
 * back by up to half a period. After TICKS_SETTLED samples, a sample that would move the phase by
 * more than a 32nd of a period counts as late instead.
 *
 * A timer that was stopped and started again (by throttling or PERF_EVENT_IOC_ENABLE) has a new
 * phase: set base_ns to 0 to find it again.
 *
 * Changing the period while sampling (PERF_EVENT_IOC_PERIOD) also restarts the timer. The samples
 * of clocks still contain the period with which the event was opened (Linux 6.18:
 * perf_swevent_hrtimer() passes on hwc->last_period, which only other events update). So only this
 * file knows the period in force, which is the weight of a sample.
 */
#ifndef ASSAY_INTAKE_TICKS_H
#define ASSAY_INTAKE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define TICKS_SETTLED 32

struct ticks {
	uint64_t period_ns;	/* greater than 0 */
	/* Time of a tick with the earliest phase so far; 0 before the first sample */
	uint64_t base_ns;
	uint64_t last_ns;	/* time of the last sample */
	uint64_t missed;	/* ticks without a sample, counted between samples */
	uint32_t sample_count;	/* samples since base_ns was 0; stops at TICKS_SETTLED */
	/* Period of samples from next_from_ns on; 0: no change is pending */
	uint64_t next_period_ns;
	uint64_t next_from_ns;
};

/*
 * Returns the period that ended with the sample at @time_ns. Call it in time order, once per
 * sample, before ticks_late() or without it.
 */
uint64_t ticks_period(struct ticks *ticks, uint64_t time_ns);

/*
 * Sets the period of samples from @from_ns on to @period_ns. Only one change can be pending: before
 * a second change, ticks_period() must have been called for all samples before the first one.
 */
void ticks_change(struct ticks *ticks, uint64_t period_ns, uint64_t from_ns);

/*
 * Returns how much later than its tick the sample at @time_ns is, in nanoseconds, or INT32_MAX if
 * the lateness is larger.
 */
int32_t ticks_late(struct ticks *ticks, uint64_t time_ns);

#endif
