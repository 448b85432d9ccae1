/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time_shift.h - the offsets of this time namespace's clocks from the machine's clocks
 *
 * A time namespace can have offsets. A process in it then sees shifted times when it reads its
 * clocks, and also when it reads the start time of any process from /proc. The shift is that of the
 * reader's namespace; the namespace of the process whose start time is read does not matter.
 * Records of perf and BPF always contain the machine's own times. Source: time_namespaces(7);
 * fs/proc/array.c: do_task_stat() of 6.18.
 */
#ifndef ASSAY_PROCESS_TIME_SHIFT_H
#define ASSAY_PROCESS_TIME_SHIFT_H

#include <stdint.h>

#include "base/err.h"

struct time_shift {
	/* clock of the namespace minus clock of the machine */
	int64_t monotonic_ns, boot_ns;
};

/*
 * Reads the offsets of our own time namespace. Returns zeros if the kernel has no time namespaces
 * or the offsets cannot be read.
 */
struct time_shift time_shift_read(void);

/* Parses the text of /proc/PID/timens_offsets. */
struct time_shift time_shift_parse(const char *text);

/*
 * Returns -EOPNOTSUPP if CLOCK_MONOTONIC is shifted, because our times could then not be compared
 * with the times of records. Otherwise returns 0.
 */
int time_shift_check(struct err *err);

#endif
