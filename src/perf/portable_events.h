/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * portable_events.h - one name for what each CPU calls differently
 *
 *	total-cycles  total-instructions  branches-taken  l1d-misses  tlb-data-misses
 *
 * The names follow those of PAPI's presets.  Behind each stand a generic event of the kernel,
 * where it has one, and names of CPU makers, which libpfm4 (pfm_event.h) or the PMU's own driver
 * (event_sysfs.h) knows; the first that can be opened here is taken.  Where there is none the
 * name is refused with the reason: a portable name never stands for something near to it.
 *
 * Names of libpfm4 can also be given themselves, with the PMU in front: skl::L2_RQSTS:MISS.
 */
#ifndef ASSAY_PERF_PORTABLE_EVENTS_H
#define ASSAY_PERF_PORTABLE_EVENTS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "base/err.h"

/* Into type, config* and exclude_* of *attr. -ENOENT without words in *err: no portable name. */
int portable_event_find(const char *name, struct perf_event_attr *attr, struct err *err);

/* "pmu::EVENT[:UMASK...]" */
int native_event_find(const char *text, struct perf_event_attr *attr, struct err *err);

/* The @index-th name of CPU makers behind a portable one; NULL: no more. */
const char *portable_event_native(const char *name, size_t index);

/* Calls @visit for each name, with what it is @here; NULL: nothing. */
typedef void (*portable_visit_fn)(void *context, const char *name, const char *here,
				  const char *meaning);
void portable_events_each(portable_visit_fn visit, void *context);

#endif
