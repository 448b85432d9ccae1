/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - events that are counted, not sampled
 *
 *	counters_open()		opens the events at each place (thread or CPU), not yet counting
 *	counters_enable()	starts counting; with enable_on_exec, the command's exec() does
 *	counters_read()		reads the current values
 *	counters_disable(), counters_fini()
 *
 * The events of a group are scheduled together, as members of one leader. On CPUs, and for single
 * threads without their children, a group is also read at once (PERF_FORMAT_GROUP), so that a ratio
 * is taken from a single moment. If children are counted, too, the events are read one after the
 * other. The reason is that the kernel adds up the children of a group at different times
 * (kernel/events/core.c: perf_read_group() returns ECHILD), and before 6.12 it refused the
 * combination altogether. For a command that has ended, both ways give the same values.
 *
 * Threads that end before they can be opened are left out. The caller must notice threads that are
 * created meanwhile. If the PMU of an event names its CPUs (such as an uncore counter of a
 * package), the event is opened only on these, so that a package is not counted once for each of
 * its CPUs.
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
	/* counters_open() may set user_only, which then stays set when they are opened again */
	struct event_groups *groups;
	const uint32_t *tids;		/* NULL: count on CPUs */
	size_t tid_count;
	const struct cpus *cpus;
	bool inherit;			/* also count children of the threads */
	bool enable_on_exec;
};

struct counters {
	const struct event_groups *groups;	/* borrowed */
	size_t place_count;
	VEC(int) fds;			/* for each place, one for each event; -1: not open there */
	bool grouped_read;
	size_t absent;			/* number of threads that had already ended */
};

/*
 * Opens the events at all places. Error messages name the event. Returns -ESRCH if none of the
 * threads is left.
 */
int counters_open(struct counters *counters, const struct counters_options *options,
		  struct err *err);
void counters_fini(struct counters *counters);

void counters_enable(const struct counters *counters);
void counters_disable(const struct counters *counters);

/*
 * Reads all events. @ret_readings receives spec_count readings for each place, one place after the
 * other.
 */
void counters_read(const struct counters *counters, struct counter_reading *ret_readings);

/* Returns what @spec counts, for code that evaluates the readings. */
struct counter_kind counter_kind_of(const struct event_spec *spec);

/*
 * Reduces @cpus to the CPUs on which events of the PMU with this @type are counted. All are kept
 * unless DEVICES/PMU/cpumask or DEVICES/PMU/cpus lists some.
 */
int counters_cpus(const char *devices_dir, uint32_t type, struct cpus *cpus, struct err *err);

#endif
