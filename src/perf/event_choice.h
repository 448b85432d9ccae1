/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_choice.h - chooses the event to sample if the user names none
 *
 * As with perf, the choice is `cycles` if a hardware counter can be sampled for the given targets.
 * Otherwise it is `cpu-clock`, which works everywhere. The two events differ:
 *
 * - `cycles`: if the counter raises an NMI, samples are also taken while other interrupts are
 *   disabled. The counter does not count while a CPU is idle.
 * - `cpu-clock`: ticks have a known phase, from which lateness and the ledger of CPU time are
 *   computed. The weights of the samples are durations, so they can be compared with the durations
 *   of waits. For this reason --off-cpu, which records waits, always uses the clock.
 *
 * To find out whether the counter can be sampled, the caller must try to open it for all its
 * targets. An event that opens for one thread may be refused for a CPU, and on hybrid machines only
 * some CPUs can count it.
 */
#ifndef ASSAY_PERF_EVENT_CHOICE_H
#define ASSAY_PERF_EVENT_CHOICE_H

#include "perf/event_spec.h"

struct event_choice {
	struct event_spec spec;
	/* the chosen event and the reason, to be shown to the user: "cycles (a hardware ...)" */
	char why[160];
};

/*
 * Tries to open @spec for sampling on all CPUs or threads that the caller wants to sample. Returns
 * 0 if all of them can be sampled, otherwise a negative errno.
 */
typedef int (*event_try_fn)(void *context, const struct event_spec *spec);

/*
 * Chooses the event. If @wants_clock is true, chooses the clock and does not call @opens. It is not
 * an error if @opens refuses `cycles`, because the clock can always be chosen. Returns 0, or a
 * negative errno for any other error.
 */
int event_choose(bool wants_clock, event_try_fn opens, void *context,
		 struct event_choice *ret_choice);

#endif
