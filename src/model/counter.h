/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter.h - what a counter of events said
 *
 * A reading is what the kernel answers for one event at one place, a thread or a CPU, since the
 * counter was opened.  Where more events are asked for than the hardware has counters they take
 * turns: the event counted in running_ns out of the enabled_ns that it was asked to.  Readings
 * are as the kernel gives them; analyze/counter_stats.h makes estimates of them.
 */
#ifndef ASSAY_MODEL_COUNTER_H
#define ASSAY_MODEL_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTER_UNIT_MAX 16

/* What a driver says one count is: 2.3e-10 Joules, where others count events. */
struct counter_unit {
	char name[COUNTER_UNIT_MAX];	/* "": events */
	double scale;			/* 0: each is one */
};

struct counter_reading {
	uint64_t value;
	uint64_t enabled_ns, running_ns;
	bool failed;		/* it could not be read */
	bool absent;		/* this place has none: the event is counted elsewhere */
};

/* Which event it is, whatever it was called; from struct perf_event_attr. */
struct counter_kind {
	uint32_t type;		/* PERF_TYPE_* */
	uint64_t config;
	bool no_user, no_kernel;
	bool is_time;		/* counts nanoseconds */
	struct counter_unit unit;
};

/* "ns", "events", or what the driver says. */
static inline const char *counter_kind_unit(const struct counter_kind *kind)
{
	if (kind->is_time)
		return "ns";
	return kind->unit.name[0] ? kind->unit.name : "events";
}

#endif
