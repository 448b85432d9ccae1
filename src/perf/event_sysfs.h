/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_sysfs.h - PMU events, as the PMU drivers describe them in sysfs
 *
 *	DEVICES/PMU/type		perf_event_attr.type
 *	DEVICES/PMU/format/TERM		"config:0-7,32-35": the term's bits, least significant first
 *	DEVICES/PMU/events/NAME		"event=0x3c,umask=0x1": the terms that the name expands to
 *	DEVICES/PMU/events/NAME.scale	"2.3283064365386962890625e-10": factor from counts to units
 *	DEVICES/PMU/events/NAME.unit	"Joules"
 *
 * Terms are applied in order, and a later term replaces the bits of an earlier one. So
 * "cpu/cache-misses,umask=0x1/" is the event cache-misses with another umask. DEVICES is an
 * argument so that tests can use a directory of their own. Source:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}.
 */
#ifndef ASSAY_PERF_EVENT_SYSFS_H
#define ASSAY_PERF_EVENT_SYSFS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/counter.h"

#define PMU_DEVICES_DIR "/sys/bus/event_source/devices"
#define PMU_NAME_MAX 64

/*
 * Sets type and config* of *ret_attr from @terms, which are separated by commas and have no slashes
 * around them. If one of the terms is the name of an event, *ret_unit is set to the unit of that
 * event. @ret_unit may be NULL.
 */
int pmu_event_parse(const char *devices_dir, const char *pmu, const char *terms,
		    struct perf_event_attr *ret_attr, struct counter_unit *ret_unit,
		    struct err *err);

/* Returns true if any PMU has an event called @name, and writes the PMU's name to @ret_pmu. */
bool pmu_event_find(const char *devices_dir, const char *name, char ret_pmu[PMU_NAME_MAX]);

/*
 * Returns true if a file called @name in an events/ directory does not define an event, but only
 * adds a property to one, such as its unit.
 */
bool pmu_event_is_note(const char *name);

/*
 * Returns true if @name may be part of a path in sysfs or tracefs: letters, digits and "_-." only,
 * with no dot at the start.
 */
bool pmu_name_is_plain(const char *name);

#endif
