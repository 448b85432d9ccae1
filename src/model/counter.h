/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter.h - the reading of an event counter
 *
 * A reading is the count that the kernel returns for one event on one thread or one CPU. The count
 * starts when the counter is opened. If more events are requested than the hardware has counters,
 * the events take turns: an event is enabled for enabled_ns, but the hardware counts it only for
 * running_ns of this time. Readings are stored as the kernel returns them. analyze/counter_stats.h
 * estimates the full counts from them.
 */
#ifndef ASSAY_MODEL_COUNTER_H
#define ASSAY_MODEL_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTER_UNIT_MAX 16

/*
 * The unit of a counter, as the driver reports it. For example, one count may be 2.3e-10 Joules.
 * Most counters count plain events.
 */
struct counter_unit {
	char name[COUNTER_UNIT_MAX];	/* "" if the counter counts events */
	double scale;			/* units per count; 0 means 1 */
};

struct counter_reading {
	uint64_t value;
	uint64_t enabled_ns, running_ns;
	bool failed;		/* the counter could not be read */
	/*
	 * no counter is open for this thread or CPU: the thread has ended, or another CPU counts
	 * the event
	 */
	bool absent;
};

/*
 * Identifies an event. A user can name one event in several ways. All these names give the same
 * kind. The fields of a kind are derived from struct perf_event_attr.
 */
struct counter_kind {
	uint32_t type;		/* PERF_TYPE_* */
	uint64_t config;
	bool no_user, no_kernel;
	bool is_time;		/* the counter counts nanoseconds */
	struct counter_unit unit;
};

/* Returns "ns", "events" or the unit that the driver reports. */
static inline const char *counter_kind_unit(const struct counter_kind *kind)
{
	if (kind->is_time)
		return "ns";
	return kind->unit.name[0] ? kind->unit.name : "events";
}

#endif
