/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_dir.h - a control group as perf wants it: its directory, open
 */
#ifndef ASSAY_PROCESS_CGROUP_DIR_H
#define ASSAY_PROCESS_CGROUP_DIR_H

#include "base/err.h"

/*
 * Opens @path, absolute or below the mount point of cgroup v2 or of the v1 perf_event
 * hierarchy (as /proc/self/mounts lists them, v2 first). The descriptor, or a negative errno.
 */
int cgroup_dir_open(const char *path, struct err *err);

#endif
