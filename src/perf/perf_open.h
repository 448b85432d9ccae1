/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_open.h - perf_event_open(2) with fallbacks for older kernels
 *
 * If a kernel does not know a field of perf_event_attr, it returns EINVAL and does not say which
 * field. perf_open() then removes features (see enum perf_feature) from *attr, one at a time and
 * the newest feature first, until the kernel accepts the event. Because the features are removed
 * from the caller's own *attr, the caller can see which features remain, and can derive the layout
 * of the records. struct perf_features remembers the removed features, so that the next call does
 * not try them again. Features are tried and not derived from the kernel's version, because
 * distributions backport features.
 *
 * Source: perf_event_open(2); kernel/events/core.c of 6.18.
 */
#ifndef ASSAY_PERF_PERF_OPEN_H
#define ASSAY_PERF_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "perf/event_spec.h"

enum perf_feature {
	/* PERF_SAMPLE_READ in inherited events; fallback: samples without counter values */
	PERF_FEATURE_INHERITED_READ,
	PERF_FEATURE_FORMAT_LOST,	/* PERF_FORMAT_LOST */
	PERF_FEATURE_BUILD_ID,		/* build-id in MMAP2 records; fallback: device and inode */
	PERF_FEATURE_CGROUP,		/* PERF_RECORD_CGROUP */
	PERF_FEATURE_BPF_EVENT,
	PERF_FEATURE_KSYMBOL,
	/*
	 * record times from CLOCK_MONOTONIC; fallback: record times from the kernel's internal
	 * clock
	 */
	PERF_FEATURE_CLOCKID,
	/* flag in COMM records that distinguishes exec from prctl */
	PERF_FEATURE_COMM_EXEC,
	PERF_FEATURE_COUNT
};

struct perf_features {
	/* bit mask of the removed features: 1u << enum perf_feature */
	uint32_t dropped;
};

/*
 * Selects the tasks to measure (one thread, one cgroup, or every thread) and the CPU to measure on.
 */
struct perf_place {
	/*
	 * 0: the calling thread; -1: every thread; if flags contains PERF_FLAG_PID_CGROUP:
	 * descriptor of a cgroup directory; otherwise: thread id
	 */
	pid_t pid;
	int cpu;		/* -1: every CPU */
	int group_fd;		/* descriptor of the group leader, or -1 */
	unsigned long flags;	/* PERF_FLAG_*; FD_CLOEXEC is always added */
};

/*
 * Opens the event and returns its descriptor. If the machine does not support the requested
 * precise_ip, a lower value is used and stored in *attr. If the PMU refuses exclude_idle, the flag
 * is cleared in *attr. On failure, returns a negative errno and leaves *attr and *features
 * unchanged.
 */
int perf_open(struct perf_event_attr *attr, const struct perf_place *place,
	      struct perf_features *features);

static inline bool perf_dropped(const struct perf_features *features, enum perf_feature feature)
{
	return features->dropped & (1u << feature);
}

/*
 * Explains an error of perf_open(). Sets *err to the reason for which the kernel refused @spec with
 * the error @code, and to what the user can do about it. Returns @code.
 */
int perf_explain(struct err *err, int code, const struct event_spec *spec, bool cpu_wide);

#endif
