/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span_cgroups.h - the names of the control groups whose spans the stopwatch measures */
#ifndef ASSAY_SESSION_SPAN_CGROUPS_H
#define ASSAY_SESSION_SPAN_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stopwatch/span_times.h"

struct span_cgroups;

int span_cgroups_new(struct span_cgroups **ret_cgroups, struct err *err);
void span_cgroups_free(struct span_cgroups *cgroups);	/* NULL is fine */

/* Finds the names of the control groups (of cgroup v2) with these ids, if they are new. */
int span_cgroups_find(struct span_cgroups *cgroups, const struct span_group *groups, size_t count,
		      struct err *err);

/*
 * Returns the name of a control group, such as "/user.slice". If it is not known, because the group
 * is gone, or because cgroup v1 is in use, the name is like "[cgroup 4711]". It is valid until the
 * next span_cgroups_find().
 */
const char *span_cgroups_name(const struct span_cgroups *cgroups, uint64_t id);

#endif
