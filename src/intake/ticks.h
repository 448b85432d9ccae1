/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ticks.h - how late a timer sample was taken
 *
 * The timer of cpu-clock is a CLOCK_MONOTONIC hrtimer that the kernel forwards by whole periods
 * (hrtimer_forward_now() in perf_swevent_hrtimer()). So on one CPU, the ticks of one event are
 * always at phase + k * period. A sample can be later than its tick but never earlier. The phase is
 * therefore the smallest value of (time modulo period) seen so far, and the lateness of a sample is
 * its distance from the phase. Only CPU-wide clocks have such a phase.
 *
 * Times modulo the period form a circle, so a sample slightly before the phase looks like a very
 * late one. The first samples may move the phase back by up to half a period. After TICKS_SETTLED
 * samples, a sample can move the phase back by at most a 32nd of a period. A sample that would move
 * it further is treated as late instead.
 *
 * When a timer is stopped and started again (by throttling or PERF_EVENT_IOC_ENABLE), it has a new
 * phase. The caller must then set base_ns to 0, so that the phase is found again.
 *
 * Changing the period while sampling (PERF_EVENT_IOC_PERIOD) also restarts the timer. Even after
 * the change, the records of clocks contain the period with which the event was opened (Linux 6.18:
 * perf_swevent_hrtimer() passes on hwc->last_period, which is updated only for other events). So
 * the current period, which is the weight of a sample, is known only in this file.
 */
#ifndef ASSAY_INTAKE_TICKS_H
#define ASSAY_INTAKE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define TICKS_SETTLED 32

struct ticks {
	uint64_t period_ns;	/* greater than 0 */
	/* Time of one tick, according to the phase found so far; 0 before the first sample */
	uint64_t base_ns;
	/* number of samples since base_ns was set to 0, but at most TICKS_SETTLED */
	uint32_t sample_count;
	/* Period of the samples taken at next_from_ns or later; 0: no change is pending */
	uint64_t next_period_ns;
	uint64_t next_from_ns;
	/* number of samples, and of those that found the CPU idle; counted by intake.c */
	uint64_t seen, seen_idle;
};

/*
 * Returns the period, in ns, that the clock has for the sample at @time_ns. It is also the weight
 * of that sample. Must be called once for each sample, in time order. If ticks_late() is used too,
 * call ticks_late() after this function.
 */
uint64_t ticks_period(struct ticks *ticks, uint64_t time_ns);

/*
 * Sets the period for all samples at @from_ns or later. Only one change can be pending. Before the
 * next change, ticks_period() must have been called for all samples that are earlier than @from_ns
 * of this change.
 */
void ticks_change(struct ticks *ticks, uint64_t period_ns, uint64_t from_ns);

/*
 * Returns by how many nanoseconds the sample at @time_ns is later than its tick, but at most
 * INT32_MAX.
 */
int32_t ticks_late(struct ticks *ticks, uint64_t time_ns);

#endif
