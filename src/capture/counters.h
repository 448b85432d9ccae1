/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - events that are counted, not sampled
 *
 *	counters_open()		opens the events at each place (a thread or a CPU), not yet counting
 *	counters_enable()	starts counting; with enable_on_exec, exec() starts it instead
 *	counters_read()		reads the current values
 *	counters_disable(), counters_fini()
 *
 * The kernel counts the events of a group at the same time. When CPUs are counted, or single
 * threads without their children, the values of a group are also read at the same time
 * (PERF_FORMAT_GROUP), so that ratios between them are consistent. When children are also counted,
 * the events are read one after the other. The reason is that the kernel adds up the children of a
 * group at different times (kernel/events/core.c: perf_read_group() returns ECHILD), and before
 * 6.12 it refused the combination altogether. For a command that has ended, both methods give the
 * same values.
 *
 * Threads that end before they can be opened are left out. The caller must detect threads that are
 * created meanwhile. Some PMUs name the CPUs on which they count, such as an uncore counter of a
 * package. Events of these PMUs are opened only on the named CPUs, so that a package is not counted
 * once for each of its CPUs.
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
	/*
	 * counters_open() may set user_only if the user may not count kernel code; user_only then
	 * stays set
	 */
	struct event_groups *groups;
	const uint32_t *tids;		/* threads to count; NULL: count on CPUs */
	size_t tid_count;
	const struct cpus *cpus;
	bool inherit;			/* also count the children that these threads create */
	bool enable_on_exec;
};

struct counters {
	const struct event_groups *groups;	/* borrowed */
	size_t place_count;
	/* one descriptor per event and place, ordered by place; -1: not open there */
	VEC(int) fds;
	bool grouped_read;
	/* number of threads that ended before they could be opened */
	size_t absent;
};

/*
 * Opens the events at all places. Error messages name the event. Returns -ESRCH if all threads have
 * ended.
 */
int counters_open(struct counters *counters, const struct counters_options *options,
		  struct err *err);
void counters_fini(struct counters *counters);

void counters_enable(const struct counters *counters);
void counters_disable(const struct counters *counters);

/* Reads all events. @ret_readings receives spec_count readings for each place, ordered by place. */
void counters_read(const struct counters *counters, struct counter_reading *ret_readings);

/* Returns what @spec counts, for code that evaluates the readings. */
struct counter_kind counter_kind_of(const struct event_spec *spec);

/*
 * Removes from @cpus all CPUs on which events of the PMU with this @type are not counted. The PMU
 * lists the other CPUs in DEVICES/PMU/cpumask or DEVICES/PMU/cpus, where DEVICES is @devices_dir.
 * If the PMU has no such list, all CPUs stay.
 */
int counters_cpus(const char *devices_dir, uint32_t type, struct cpus *cpus, struct err *err);

#endif
