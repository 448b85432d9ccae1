/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * portable_events.h - portable names for events that each CPU names differently
 *
 *	total-cycles  total-instructions  branches-taken  l1d-misses  tlb-data-misses
 *
 * The names follow PAPI's presets. For each name there is a list of events: a generic event of the
 * kernel, if there is one, then events of CPU makers, which are known to libpfm4 (pfm_event.h) or
 * to the PMU's own driver (event_sysfs.h). The first of these events that can be opened on this
 * machine is used. If none can be opened, the name is refused with the reason. All events in a list
 * count exactly what the name says, never something similar.
 *
 * libpfm4's names can also be used directly, with the PMU in front: skl::L2_RQSTS:MISS.
 */
#ifndef ASSAY_PERF_PORTABLE_EVENTS_H
#define ASSAY_PERF_PORTABLE_EVENTS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Looks up a portable name and sets type, config* and exclude_* of *attr. Returns -ENOENT and
 * leaves *err unchanged if @name is not a portable name.
 */
int portable_event_find(const char *name, struct perf_event_attr *attr, struct err *err);

/* Like portable_event_find(), but for a name of the form "pmu::EVENT[:UMASK...]". */
int native_event_find(const char *text, struct perf_event_attr *attr, struct err *err);

/*
 * Returns entry @index of the CPU makers' events in the list of a portable name, or NULL if the
 * list has no such entry.
 */
const char *portable_event_native(const char *name, size_t index);

/*
 * Calls @visit for each portable name. @here is the event that this machine uses for the name, or
 * NULL if none.
 */
typedef void (*portable_visit_fn)(void *context, const char *name, const char *here,
				  const char *meaning);
void portable_events_each(portable_visit_fn visit, void *context);

#endif
