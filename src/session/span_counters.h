/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_counters.h - opens the events that are counted in calls, on each CPU
 *
 * The events are one group that is pinned to the hardware: all are counted all the time, so nothing
 * has to be scaled. If the CPUs cannot do that, they are refused.
 */
#ifndef ASSAY_SESSION_SPAN_COUNTERS_H
#define ASSAY_SESSION_SPAN_COUNTERS_H

#include "base/err.h"
#include "capture/counters.h"
#include "stopwatch/stopwatch.h"

struct span_counters {
	struct event_groups groups;
	struct counter_kind kinds[SPAN_EVENTS];
	const char *names[SPAN_EVENTS];
	struct cpus cpus;
	struct counters counters;
	struct stopwatch_counters open;		/* for stopwatch/; the count is 0 before opening */
};

/* Opens the events of the list @text, and begins to count. */
int span_counters_open(struct span_counters *counters, const char *text, struct err *err);

/* Returns 0 if all events are still counted, or -EBUSY with a message. */
int span_counters_check(const struct span_counters *counters, struct err *err);
void span_counters_close(struct span_counters *counters);

#endif
