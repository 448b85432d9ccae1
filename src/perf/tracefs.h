/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs.h - the kernel's tracepoints by name
 *
 * Looked for in /sys/kernel/tracing and, as older systems have it, /sys/kernel/debug/tracing.
 * Both are often not mounted, or readable by root only: errors say which and what helps.
 */
#ifndef ASSAY_PERF_TRACEFS_H
#define ASSAY_PERF_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The folder "events", or NULL when neither place has one that can be read. */
const char *tracefs_events_dir(void);
bool tracefs_is_readable(void);

/* Why tracefs_events_dir() is NULL, and what would help; returns a negative errno. */
int tracefs_explain(struct err *err);

/* The id that perf_event_attr.config takes for @group:@name. */
int tracefs_event_id(const char *group, const char *name, uint64_t *ret_id, struct err *err);

#endif
