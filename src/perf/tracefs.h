/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs.h - looks up the kernel's tracepoints by name
 *
 * Tracepoints are directories in /sys/kernel/tracing or, on older systems,
 * /sys/kernel/debug/tracing. Often neither directory is mounted, or only root can read it. Error
 * messages name the cause and what the user can do.
 */
#ifndef ASSAY_PERF_TRACEFS_H
#define ASSAY_PERF_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Returns the path of the "events" directory, or NULL if no such directory is readable. */
const char *tracefs_events_dir(void);
bool tracefs_is_readable(void);

/*
 * Sets *err to the reason why no "events" directory is readable, and to what the user can do about
 * it. Call this only after tracefs_events_dir() has returned NULL. Returns a negative errno.
 */
int tracefs_explain(struct err *err);

/*
 * Looks up the id of the tracepoint @group:@name, which is used as perf_event_attr.config. Returns
 * 0 or a negative errno.
 */
int tracefs_event_id(const char *group, const char *name, uint64_t *ret_id, struct err *err);

#endif
