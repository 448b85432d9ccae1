/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup_dir.h - opens the directory of a control group; perf_event_open() needs its descriptor */
#ifndef ASSAY_PROCESS_CGROUP_DIR_H
#define ASSAY_PROCESS_CGROUP_DIR_H

#include "base/err.h"

/*
 * Opens @path, which is absolute or relative to the mount point of cgroup v2 or of the v1
 * perf_event hierarchy (as listed in /proc/self/mounts, v2 first). Returns the descriptor or a
 * negative errno.
 */
int cgroup_dir_open(const char *path, struct err *err);

#endif
