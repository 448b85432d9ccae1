/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - the clock for all timestamps in a recording
 *
 * All timestamps in a recording are CLOCK_MONOTONIC nanoseconds of the recorded machine. perf
 * events are opened with this clock, so timestamps in the kernel's records can be compared with
 * timestamps that assay reads itself.
 */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SEC UINT64_C(1000000000)
#define NS_PER_MSEC UINT64_C(1000000)
#define NS_PER_USEC UINT64_C(1000)

static inline uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* Returns the CPU time of a process, or 0 if there is no such process any more. */
static inline uint64_t clock_process_cpu_ns(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) == 0 ? clock_read_ns(clock) : 0;
}

#endif
