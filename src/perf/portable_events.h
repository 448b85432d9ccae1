/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * portable_events.h - portable names for events that each CPU names differently
 *
 *	total-cycles  total-instructions  branches-taken  l1d-misses  tlb-data-misses
 *
 * The names follow PAPI's presets. Each name has a list of events. The first event of the list is a
 * generic event of the kernel, if there is a suitable one. The others are events of CPU makers,
 * which are known to libpfm4 (pfm_event.h) or to the PMU's own driver (event_sysfs.h). A portable
 * name refers to the first event in its list that can be opened on this machine. If none can be
 * opened, the name is refused with the reason. All events in a list count exactly what the name
 * says, never something similar.
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

/*
 * Looks up libpfm4's name of an event, which has the form "pmu::EVENT[:UMASK...]", and sets type,
 * config* and exclude_* of *attr. Returns 0 or a negative errno.
 */
int native_event_find(const char *text, struct perf_event_attr *attr, struct err *err);

/*
 * Returns the name at position @index (from 0) among the CPU makers' events of a portable name, or
 * NULL if there are not that many.
 */
const char *portable_event_native(const char *name, size_t index);

/*
 * Calls @visit for each portable name. @here is the name of the event that this machine uses for
 * it, or NULL if none of its events can be opened.
 */
typedef void (*portable_visit_fn)(void *context, const char *name, const char *here,
				  const char *meaning);
void portable_events_each(portable_visit_fn visit, void *context);

#endif
