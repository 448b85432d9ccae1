/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_limit.h - how much memory this process may take at most */
#ifndef ASSAY_PROCESS_MEMORY_LIMIT_H
#define ASSAY_PROCESS_MEMORY_LIMIT_H

#include <stdint.h>

/*
 * Returns the least of the machine's memory and the limits (memory.max, or memory.limit_in_bytes of
 * cgroup v1) of the control groups that this process is in, in bytes. A control group that is not
 * mounted below /sys/fs/cgroup is left out. @sysroot is a prefix for paths in /proc and /sys, for
 * tests; "" otherwise.
 */
uint64_t memory_limit_bytes(const char *sysroot);

#endif
