/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_choice.h - chooses the event to sample if the user names none
 *
 * The choice is `cycles` if a hardware counter can be sampled in the wanted scope, as with perf.
 * Its interrupt, if it is an NMI, also arrives while other interrupts are held up, and it does not
 * tick while a CPU is idle. Otherwise the choice is `cpu-clock`, which works everywhere. A clock
 * has two things that a counter lacks: ticks at a known phase, from which lateness and the ledger
 * of time are computed, and weights in units of time, to which waits can be compared. So --off-cpu
 * asks for the clock.
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
	/* the choice and the reason, for the user: "cycles (a hardware ...)" */
	char why[160];
};

/*
 * Tries whether @spec can be opened for sampling in the whole wanted scope. Returns 0 or a negative
 * errno.
 */
typedef int (*event_try_fn)(void *context, const struct event_spec *spec);

/*
 * Chooses the event. A refusal by @opens is not an error, because the clock can always be chosen.
 * Returns 0, or a negative errno that did not come from @opens.
 */
int event_choose(bool wants_clock, event_try_fn opens, void *context,
		 struct event_choice *ret_choice);

#endif
