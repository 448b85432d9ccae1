/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - events that are counted, not sampled
 *
 *	counters_open()		at each place (thread or CPU), not yet counting
 *	counters_enable()	with enable_on_exec the command's exec() does that
 *	counters_read()		what they say by now
 *	counters_disable(), counters_fini()
 *
 * The events of a group are scheduled together, as members of one leader.  On CPUs and of single
 * threads they are also read together (PERF_FORMAT_GROUP), so that a ratio is that of one moment.
 * Where children are counted, too, they are read one after the other: the kernel adds up children
 * of a group at different times (kernel/events/core.c: perf_read_group() answers ECHILD), and
 * refused the combination altogether before 6.12.  Of a command that has ended both are the same.
 *
 * Threads that end before they can be opened are left out; those that come meanwhile are the
 * caller's to notice.  An event whose PMU names its CPUs (an uncore counter of a package) is
 * opened on these alone, so that a package is not counted once for each of its CPUs.
 *
 * Source: perf_event_open(2); Documentation/ABI/testing/sysfs-bus-event_source-devices.
 */
#ifndef ASSAY_CAPTURE_COUNTERS_H
#define ASSAY_CAPTURE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "perf/cpus.h"
#include "perf/event_groups.h"
#include "model/counter.h"

struct counters_options {
	struct event_groups *groups;	/* user_only is noted here, and kept when opened again */
	const uint32_t *tids;		/* NULL: on CPUs */
	size_t tid_count;
	const struct cpus *cpus;
	bool inherit;			/* children of the threads, too */
	bool enable_on_exec;
};

struct counters {
	const struct event_groups *groups;	/* the caller's */
	size_t place_count;
	VEC(int) fds;			/* of each place, each event; -1: not there */
	bool grouped_read;
	size_t absent;			/* threads that had ended */
};

/* Errors name the event. -ESRCH: none of the threads is left. */
int counters_open(struct counters *counters, const struct counters_options *options,
		  struct err *err);
void counters_fini(struct counters *counters);

void counters_enable(const struct counters *counters);
void counters_disable(const struct counters *counters);

/* @ret_readings: spec_count of each place, one place after the other. */
void counters_read(const struct counters *counters, struct counter_reading *ret_readings);

/* What @spec counts, for those who work with the readings. */
struct counter_kind counter_kind_of(const struct event_spec *spec);

/*
 * Those of @cpus on which the events of the PMU with this @type are counted: all, unless
 * DEVICES/PMU/cpumask or .../cpus names some.
 */
int counters_cpus(const char *devices_dir, uint32_t type, struct cpus *cpus, struct err *err);

#endif
