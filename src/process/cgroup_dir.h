/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup_dir.h - opens the directory of a control group; perf_event_open() needs its descriptor */
#ifndef ASSAY_PROCESS_CGROUP_DIR_H
#define ASSAY_PROCESS_CGROUP_DIR_H

#include "base/err.h"

/*
 * Opens the directory of the control group @path. If @path is absolute, it is first tried as a path
 * in the file system. Then every @path is tried relative to the mount points of cgroup v2, and last
 * relative to those of the v1 perf_event hierarchy (as listed in /proc/self/mounts). Returns the
 * descriptor or a negative errno.
 */
int cgroup_dir_open(const char *path, struct err *err);

#endif
