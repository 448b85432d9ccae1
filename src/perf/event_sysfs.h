/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_sysfs.h - the events of PMUs, as their drivers describe them in sysfs
 *
 *	DEVICES/PMU/type		perf_event_attr.type
 *	DEVICES/PMU/format/TERM		"config:0-7,32-35": where its value goes, low bits first
 *	DEVICES/PMU/events/NAME		"event=0x3c,umask=0x1": terms behind a name
 *	DEVICES/PMU/events/NAME.scale	"2.3283064365386962890625e-10": times this, counts are
 *	DEVICES/PMU/events/NAME.unit	"Joules"
 *
 * Terms are taken in order and a later one replaces the bits of an earlier one, so that
 * "cpu/cache-misses,umask=0x1/" changes the event that its name stands for.
 * The folder is an argument so that tests can bring their own machine.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}.
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
 * Fills type and config* of *ret_attr from @terms, comma separated, without the slashes, and
 * *ret_unit, which may be NULL, from the name among them.
 */
int pmu_event_parse(const char *devices_dir, const char *pmu, const char *terms,
		    struct perf_event_attr *ret_attr, struct counter_unit *ret_unit,
		    struct err *err);

/* Whether a PMU has an event of that @name; which one into @ret_pmu. */
bool pmu_event_find(const char *devices_dir, const char *name, char ret_pmu[PMU_NAME_MAX]);

/* In the folder of events: something about one, such as its unit. */
bool pmu_event_is_note(const char *name);

/* May be part of a path below sysfs or tracefs: letters, digits, "_-.", no dot in front. */
bool pmu_name_is_plain(const char *name);

#endif
