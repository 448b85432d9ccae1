/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span_cgroups.h - the names of the control groups whose spans the stopwatch measures */
#ifndef ASSAY_SESSION_SPAN_CGROUPS_H
#define ASSAY_SESSION_SPAN_CGROUPS_H

#include <stdint.h>

#include "base/err.h"

struct span_cgroups;

int span_cgroups_new(struct span_cgroups **ret_cgroups, struct err *err);
void span_cgroups_free(struct span_cgroups *cgroups);	/* NULL is fine */

/*
 * Returns the name of the control group (of cgroup v2) with this id, such as "/user.slice", or
 * "[cgroup 4711]" if it is not known: because the group is gone, or because cgroup v1 is in use. It
 * is valid until the next call.
 */
const char *span_cgroups_name(struct span_cgroups *cgroups, uint64_t id);

#endif
