/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_spec.h - parses perf's event syntax into struct perf_event_attr
 *
 *	cycles  cpu-clock:u  page-faults  r1a8  cpu/event=0x3c,umask=0/k  sched:sched_switch
 *	L1-dcache-load-misses  mem:0x...[/LEN][:rwx]  total-cycles  skl::L2_RQSTS:MISS
 *
 * A name is looked up in this order:
 *
 * - the kernel's generic software, hardware and cache events (event_names.h)
 * - raw event codes, rNNN
 * - the names that a PMU lists under events/ in sysfs (event_sysfs.h)
 * - portable names (portable_events.h)
 * - tracepoints (tracefs.h)
 *
 * For modifiers see event_modifiers.h.
 *
 * The parser checks only names and numbers. For a portable name, it also checks that the machine
 * has such an event. Whether the machine can count an event is known only after opening it.
 *
 * Groups in braces are refused. In recordings, a separate option names the counters to read with
 * each sample. Callers that count groups split the list into groups first (event_groups.h).
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
	char name[EVENT_NAME_MAX];	/* name as the user wrote it */
	struct perf_event_attr attr;	/* type, config*, exclude_* and precise_ip are set */
	bool is_time;			/* cpu-clock or task-clock, which count nanoseconds */
	struct counter_unit unit;	/* scale and unit of a PMU event, from sysfs */
	bool not_idle;			/* the user requested :I */
};

/*
 * Splits @text at commas (except commas between slashes) and parses each part as one event. @specs
 * has space for @max events. Returns the number of events in @specs, or a negative errno. After an
 * error, *err names the event that caused it.
 */
int event_specs_parse(const char *text, struct event_spec *specs, size_t max, struct err *err);

enum event_use { EVENT_UNUSABLE, EVENT_COUNTS, EVENT_SAMPLES, EVENT_UNTRIED };

/*
 * Calls @visit for each event that this machine offers. The arguments are the event's name, its
 * kind ("software", "hardware", "cache", "pmu" or "tracepoint") and how the event can be used (enum
 * event_use). To determine the use, each event except tracepoints is opened. If the tracepoints
 * cannot be listed, all other events are visited, and then a negative errno is returned with the
 * reason in *err.
 */
typedef void (*event_visit_fn)(void *context, const char *name, const char *kind,
			       enum event_use use);
int events_each(event_visit_fn visit, void *context, struct err *err);

#endif
