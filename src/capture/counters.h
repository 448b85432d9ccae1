/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - events that are counted, not sampled
 *
 *	counters_open()		opens the events at each place (a thread or a CPU), not yet counting
 *	counters_enable()	starts counting; with enable_on_exec, exec() starts it instead
 *	counters_read()		reads the current values
 *	counters_disable(), counters_fini()
 *
 * The kernel counts the events of a group at the same time. The values of a group are also read at
 * the same time (PERF_FORMAT_GROUP), so that ratios between them are consistent. The exception is
 * option `inherit`, which also counts the children of the threads: the events are then read one
 * after the other. The reason is that the kernel adds up the children of a group at different times
 * (kernel/events/core.c: perf_read_group() returns ECHILD). Before 6.12, the kernel refused
 * PERF_FORMAT_GROUP together with `inherit`. For a command that has ended, both methods of reading
 * give the same values.
 *
 * Threads that end before they can be opened are left out. The caller must detect threads that are
 * created while the events are being opened. Some PMUs count only on certain CPUs, which they list
 * in sysfs. For example, the uncore PMU of a package counts on one CPU of that package. The events
 * of these PMUs are opened only on the listed CPUs, so that a package is not counted once for each
 * of its CPUs.
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
	 * If the kernel does not permit counting of kernel code, counters_open() sets
	 * groups->user_only and counts only user mode. The flag then stays set.
	 */
	struct event_groups *groups;
	const uint32_t *tids;		/* threads to count; NULL: count the CPUs in `cpus` */
	size_t tid_count;
	const struct cpus *cpus;
	bool inherit;			/* also count the children that these threads create */
	bool enable_on_exec;
};

struct counters {
	const struct event_groups *groups;	/* borrowed */
	size_t place_count;
	/*
	 * the descriptors of all events for the first place, then for the second and so on; -1: not
	 * open
	 */
	VEC(int) fds;
	bool grouped_read;
	/* number of threads that ended before they could be opened */
	size_t absent;
};

/*
 * Opens the events for all places (threads or CPUs). Error messages name the event. Returns -ESRCH
 * if all threads have ended.
 */
int counters_open(struct counters *counters, const struct counters_options *options,
		  struct err *err);
void counters_fini(struct counters *counters);

void counters_enable(const struct counters *counters);
void counters_disable(const struct counters *counters);

/*
 * Reads all events. @ret_readings receives spec_count readings for the first place (thread or CPU),
 * then for the second and so on.
 */
void counters_read(const struct counters *counters, struct counter_reading *ret_readings);

/*
 * Returns the properties of @spec that are needed to evaluate its readings: event type, excluded
 * modes and unit.
 */
struct counter_kind counter_kind_of(const struct event_spec *spec);

/*
 * Removes from @cpus the CPUs on which the PMU with the type @type does not count. The PMU lists
 * the CPUs on which it counts in DEVICES/PMU/cpumask or DEVICES/PMU/cpus, where DEVICES is
 * @devices_dir. If there is no such list, no CPU is removed.
 */
int counters_cpus(const char *devices_dir, uint32_t type, struct cpus *cpus, struct err *err);

#endif
