/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_choice.h - the event of those who name none
 *
 * `cycles` where a hardware counter can be sampled in the scope that is wanted, as perf does it:
 * its interrupt comes also while others are held up (where it is an NMI), and it does not tick
 * while a CPU is idle.  Else `cpu-clock`, which works everywhere.  A clock has what a counter has
 * not: ticks at a known phase, from which come lateness and the ledger of time, and weights that
 * are time, which waits can be set beside; so --off-cpu asks for the clock.
 *
 * Whether the counter can be sampled is found out by trying, which is the caller's business: what
 * opens for one thread may be refused for a CPU, and hybrid machines count on some CPUs only.
 */
#ifndef ASSAY_PERF_EVENT_CHOICE_H
#define ASSAY_PERF_EVENT_CHOICE_H

#include "perf/event_spec.h"

struct event_choice {
	struct event_spec spec;
	char why[160];		/* which and why, for the user: "cycles (a hardware ...)" */
};

/* Would @spec open for sampling wherever it is wanted?  0 or a negative errno. */
typedef int (*event_try_fn)(void *context, const struct event_spec *spec);

/* 0, or a negative errno that is no answer of @opens: the choice always falls on something. */
int event_choose(bool wants_clock, event_try_fn opens, void *context,
		 struct event_choice *ret_choice);

#endif
