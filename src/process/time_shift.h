/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time_shift.h - how far the clocks of our time namespace are from the machine's
 *
 * What a process in a shifted time namespace reads from its clocks, and from /proc about the start
 * of any process, is the machine's time plus the shift of the reader's namespace.  Records of perf
 * and BPF always have the machine's own times.
 * Source: time_namespaces(7); fs/proc/array.c: do_task_stat() of 6.18.
 */
#ifndef ASSAY_PROCESS_TIME_SHIFT_H
#define ASSAY_PROCESS_TIME_SHIFT_H

#include <stdint.h>

#include "base/err.h"

struct time_shift {
	int64_t monotonic_ns, boot_ns;	/* to be added to what the machine itself says */
};

/* Zeros also where there are no such namespaces, or nobody tells the shift of ours. */
struct time_shift time_shift_read(void);

/* Of the text of /proc/PID/timens_offsets. */
struct time_shift time_shift_parse(const char *text);

/* -EOPNOTSUPP where CLOCK_MONOTONIC is shifted: our times could not be compared with records'. */
int time_shift_check(struct err *err);

#endif
