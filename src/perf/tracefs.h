/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs.h - looks up the kernel's tracepoints by name
 *
 * Tracepoints are in /sys/kernel/tracing or, on older systems, /sys/kernel/debug/tracing. Often
 * neither is mounted, or only root can read them. Error messages say which of the two is the case
 * and what helps.
 */
#ifndef ASSAY_PERF_TRACEFS_H
#define ASSAY_PERF_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Returns the path of the "events" directory, or NULL if neither place has a readable one. */
const char *tracefs_events_dir(void);
bool tracefs_is_readable(void);

/*
 * Sets @err to why tracefs_events_dir() returned NULL and what would help. Returns a negative
 * errno.
 */
int tracefs_explain(struct err *err);

/*
 * Looks up the id of the tracepoint @group:@name, for perf_event_attr.config. Returns 0 or a
 * negative errno.
 */
int tracefs_event_id(const char *group, const char *name, uint64_t *ret_id, struct err *err);

#endif
