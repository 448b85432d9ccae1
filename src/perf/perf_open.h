/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_open.h - perf_event_open(2) with fallbacks for older kernels
 *
 * A kernel refuses an attribute that it does not know with a bare EINVAL. perf_open() then drops
 * the features below that the attribute uses, newest first, until the kernel accepts it. Dropped
 * features are also removed from *attr, so that the caller sees what it got and derives the record
 * layout from that. They are remembered in struct perf_features, so that the next open does not try
 * them again. Features are tried and not derived from the kernel's version, because distributions
 * backport.
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
	PERF_FEATURE_INHERITED_READ,	/* READ in inherited events; fallback: no READ */
	PERF_FEATURE_FORMAT_LOST,	/* PERF_FORMAT_LOST */
	PERF_FEATURE_BUILD_ID,		/* build-id in MMAP2; fallback: device and inode */
	PERF_FEATURE_CGROUP,		/* CGROUP records */
	PERF_FEATURE_BPF_EVENT,
	PERF_FEATURE_KSYMBOL,
	PERF_FEATURE_CLOCKID,		/* times on our clock; fallback: kernel's local clock */
	PERF_FEATURE_COMM_EXEC,		/* COMM records distinguish exec from prctl */
	PERF_FEATURE_COUNT
};

struct perf_features {
	uint32_t dropped;		/* bit mask of 1u << enum perf_feature */
};

/* What to count: a thread, a cgroup or all, and on which CPU. */
struct perf_place {
	pid_t pid;		/* thread; 0: ourselves, -1: all; with PID_CGROUP a descriptor */
	int cpu;		/* -1: any */
	int group_fd;		/* descriptor of the group leader, or -1 */
	unsigned long flags;	/* PERF_FLAG_*; FD_CLOEXEC is always added */
};

/*
 * Opens the event and returns its descriptor, or a negative errno with *attr and *features
 * unchanged. If the machine does not support the requested precise_ip, a lower value is used and
 * stored in *attr; if the PMU refuses exclude_idle, it is cleared in *attr.
 */
int perf_open(struct perf_event_attr *attr, const struct perf_place *place,
	      struct perf_features *features);

static inline bool perf_dropped(const struct perf_features *features, enum perf_feature feature)
{
	return features->dropped & (1u << feature);
}

/*
 * Writes to @err what error @code of perf_open() means for @spec and what would allow the event.
 * Returns @code.
 */
int perf_explain(struct err *err, int code, const struct event_spec *spec, bool cpu_wide);

#endif
