/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_open.h - perf_event_open(2), with less than was asked for where the kernel is older
 *
 * A kernel refuses an attribute that it does not know with a bare EINVAL.  perf_open() then
 * leaves out, newest first, the features below that the attribute uses, until the kernel
 * takes it; what had to go is taken out of *attr as well, so that the caller sees what it got
 * (and takes the record layout from there), and is remembered in struct perf_features, so that
 * the next open does not try again.  Trying, not version numbers: distributions backport.
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
	PERF_FEATURE_INHERITED_READ,	/* PERF_SAMPLE_READ in inherited events; without: no READ */
	PERF_FEATURE_FORMAT_LOST,	/* PERF_FORMAT_LOST */
	PERF_FEATURE_BUILD_ID,		/* build-id in MMAP2; without: device and inode */
	PERF_FEATURE_CGROUP,		/* CGROUP records */
	PERF_FEATURE_BPF_EVENT,
	PERF_FEATURE_KSYMBOL,
	PERF_FEATURE_CLOCKID,		/* times on our clock; without: the kernel's local clock */
	PERF_FEATURE_COMM_EXEC,		/* COMM by exec told from COMM by prctl */
	PERF_FEATURE_COUNT
};

struct perf_features {
	uint32_t dropped;		/* 1u << enum perf_feature */
};

/* Where to count. */
struct perf_place {
	pid_t pid;		/* thread; 0 us, -1 everybody; a descriptor with PID_CGROUP */
	int cpu;		/* -1: any */
	int group_fd;		/* the leader, or -1 */
	unsigned long flags;	/* PERF_FLAG_*; FD_CLOEXEC is always set */
};

/* The event's descriptor, or a negative errno with *attr and *features unchanged. A precise_ip
   that the machine does not reach is lowered in *attr, an exclude_idle that its PMU refuses
   taken out. */
int perf_open(struct perf_event_attr *attr, const struct perf_place *place,
	      struct perf_features *features);

static inline bool perf_dropped(const struct perf_features *features, enum perf_feature feature)
{
	return features->dropped & (1u << feature);
}

/* What @code of perf_open() means for @spec and what would allow it, into @err; returns @code. */
int perf_explain(struct err *err, int code, const struct event_spec *spec, bool cpu_wide);

#endif
