/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_choice.h - chooses the event to sample if the user names none
 *
 * As with perf, the choice is `cycles` if a hardware counter can be sampled for the given targets.
 * If the counter's interrupt is an NMI, it also arrives while other interrupts are disabled. The
 * counter does not count while a CPU is idle. Otherwise the choice is `cpu-clock`, which works
 * everywhere. A clock has two advantages over a counter. Its ticks have a known phase, from which
 * lateness and the ledger of CPU time are computed. Its weights are durations, so they can be
 * compared with waits. So --off-cpu, which records waits, always uses the clock.
 *
 * The caller finds out whether the counter can be sampled by trying to open it, because an event
 * that opens for one thread may be refused for a CPU, and on hybrid machines only some CPUs can
 * count it.
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
 * Tries whether @spec can be opened for sampling on all CPUs or threads that the caller wants to
 * sample. Returns 0 or a negative errno.
 */
typedef int (*event_try_fn)(void *context, const struct event_spec *spec);

/*
 * Chooses the event. It is not an error if @opens refuses an event, because the clock can always be
 * chosen. Returns 0, or a negative errno for any other error.
 */
int event_choose(bool wants_clock, event_try_fn opens, void *context,
		 struct event_choice *ret_choice);

#endif
