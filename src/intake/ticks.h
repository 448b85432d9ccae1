/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ticks.h - how late a timer sample landed
 *
 * The clock behind cpu-clock is a CLOCK_MONOTONIC hrtimer that is forwarded by whole periods
 * (hrtimer_forward_now() in perf_swevent_hrtimer()), so on one CPU the ticks of one event lie
 * at phase + k * period for ever.  A sample can only be later than its tick, never earlier:
 * the phase is the smallest (time modulo period, around the circle) seen so far, and what a
 * sample lies behind it is its lateness.  Only CPU-wide clocks have such a phase.
 *
 * On a circle "a little early" and "very late" look alike.  The first samples may move the
 * phase back by up to half a period; once TICKS_SETTLED have agreed on it, a sample that would
 * move it by more than a 32nd is taken for what it then is: late.
 *
 * A timer that was stopped and started again (throttling, PERF_EVENT_IOC_ENABLE) has a new
 * phase: set base_ns to 0 to begin anew.
 *
 * A period that was changed while sampling (PERF_EVENT_IOC_PERIOD) starts the timer anew, too.
 * Samples of clocks go on to say the period that the event was opened with (Linux 6.18:
 * perf_swevent_hrtimer() hands on hwc->last_period, which only other events refresh), so the
 * period in force, and with it a sample's weight, is known here alone.
 */
#ifndef ASSAY_INTAKE_TICKS_H
#define ASSAY_INTAKE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define TICKS_SETTLED 32

struct ticks {
	uint64_t period_ns;	/* > 0 */
	uint64_t base_ns;	/* a known tick: the earliest phase so far; 0 before the first */
	uint64_t last_ns;	/* time of the last sample */
	uint64_t missed;	/* ticks between samples that brought none */
	uint32_t sample_count;	/* since base_ns was 0; stops at TICKS_SETTLED */
	uint64_t next_period_ns;	/* of samples from next_from_ns on; 0: no change is due */
	uint64_t next_from_ns;
};

/*
 * The period that lies behind the sample at @time_ns. Samples are asked about in order of time,
 * each before ticks_late() or without it.
 */
uint64_t ticks_period(struct ticks *ticks, uint64_t time_ns);

/*
 * Samples from @from_ns on come every @period_ns.  One change can be due at a time: of two, all
 * samples from before the first must have been asked about.
 */
void ticks_change(struct ticks *ticks, uint64_t period_ns, uint64_t from_ns);

/* How far @time_ns lies behind its tick; INT32_MAX for what is later than that. */
int32_t ticks_late(struct ticks *ticks, uint64_t time_ns);

#endif
