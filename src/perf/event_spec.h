/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_spec.h - from perf's event syntax to what the kernel takes
 *
 *	cycles  cpu-clock:u  page-faults  r1a8  cpu/event=0x3c,umask=0/k  sched:sched_switch
 *	L1-dcache-load-misses  mem:0x...[/LEN][:rwx]  total-cycles  skl::L2_RQSTS:MISS
 *
 * Names, in the order they are tried: the kernel's generic software, hardware and cache events
 * (event_names.h), raw rNNN, what a PMU lists under events/ (event_sysfs.h), portable names
 * (portable_events.h), tracepoints (tracefs.h).  Modifiers: event_modifiers.h.  Only names and
 * numbers are checked here, of portable names also that there is such an event; whether the
 * machine can count it is seen when it is opened.  Groups in braces are refused:
 * counters that belong to a sample are asked for apart, and where groups are counted they are
 * taken apart first (event_groups.h).
 */
#ifndef ASSAY_PERF_EVENT_SPEC_H
#define ASSAY_PERF_EVENT_SPEC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/counter.h"

#define EVENT_NAME_MAX 128

struct event_spec {
	char name[EVENT_NAME_MAX];	/* as given */
	struct perf_event_attr attr;	/* type, config*, exclude_*, precise_ip */
	bool is_time;			/* cpu-clock, task-clock: counts nanoseconds */
	struct counter_unit unit;	/* of what else is no plain count */
	bool not_idle;			/* asked for, by :I */
};

/* Splits at commas outside of slashes; at most @max specs. The count, or a negative errno with
   the event that is wrong in *err. */
int event_specs_parse(const char *text, struct event_spec *specs, size_t max, struct err *err);

enum event_use { EVENT_UNUSABLE, EVENT_COUNTS, EVENT_SAMPLES, EVENT_UNTRIED };

/* Calls @visit for each event this machine offers: name, kind ("software", "hardware", "cache",
   "pmu", "tracepoint"), and what opening it here is good for (tracepoints are not tried).  When
   tracepoints cannot be listed, the rest is, and an error says why. */
typedef void (*event_visit_fn)(void *context, const char *name, const char *kind,
			       enum event_use use);
int events_each(event_visit_fn visit, void *context, struct err *err);

#endif
