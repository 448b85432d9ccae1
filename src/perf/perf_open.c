/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_open.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_feature(const struct perf_event_attr *attr, enum perf_feature feature)
{
	switch (feature) {
	case PERF_FEATURE_INHERITED_READ:
		return attr->inherit && (attr->sample_type & PERF_SAMPLE_READ);
	case PERF_FEATURE_FORMAT_LOST:
		return attr->read_format & PERF_FORMAT_LOST;
	case PERF_FEATURE_BUILD_ID:
		return attr->build_id;
	case PERF_FEATURE_CGROUP:
		return attr->cgroup;
	case PERF_FEATURE_BPF_EVENT:
		return attr->bpf_event;
	case PERF_FEATURE_KSYMBOL:
		return attr->ksymbol;
	case PERF_FEATURE_CLOCKID:
		return attr->use_clockid;
	case PERF_FEATURE_COMM_EXEC:
		return attr->comm_exec;
	case PERF_FEATURE_COUNT:
		break;
	}
	return false;
}

static void drop_feature(struct perf_event_attr *attr, enum perf_feature feature)
{
	switch (feature) {
	case PERF_FEATURE_INHERITED_READ:
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
		attr->read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		break;
	case PERF_FEATURE_FORMAT_LOST:
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		break;
	case PERF_FEATURE_BUILD_ID:
		attr->build_id = 0;
		break;
	case PERF_FEATURE_CGROUP:
		attr->cgroup = 0;
		break;
	case PERF_FEATURE_BPF_EVENT:
		attr->bpf_event = 0;
		break;
	case PERF_FEATURE_KSYMBOL:
		attr->ksymbol = 0;
		break;
	case PERF_FEATURE_CLOCKID:
		attr->use_clockid = 0;
		attr->clockid = 0;
		break;
	case PERF_FEATURE_COMM_EXEC:
		attr->comm_exec = 0;
		break;
	case PERF_FEATURE_COUNT:
		break;
	}
}

static int open_once(const struct perf_event_attr *attr, const struct perf_place *place)
{
	long fd = syscall(SYS_perf_event_open, attr, place->pid, place->cpu, place->group_fd,
			  place->flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/*
 * Opens the event. If the PMU returns -EOPNOTSUPP, lowers precise_ip step by step, because the PMU
 * may not support the requested precision. Then clears exclude_idle, because the PMU may not be
 * able to stop counting while the CPU is idle (drivers/perf/arm_pmu.c).
 */
static int open_less_precise(struct perf_event_attr *attr, const struct perf_place *place)
{
	int fd = open_once(attr, place);

	while (fd == -EOPNOTSUPP && attr->precise_ip > 0) {
		attr->precise_ip--;
		fd = open_once(attr, place);
	}
	if (fd == -EOPNOTSUPP && attr->exclude_idle) {
		attr->exclude_idle = 0;
		fd = open_once(attr, place);
	}
	return fd;
}

int perf_open(struct perf_event_attr *attr, const struct perf_place *place,
	      struct perf_features *features)
{
	struct perf_event_attr asked = *attr;
	uint32_t dropped = features->dropped;
	int fd;

	asked.size = sizeof(asked);
	for (unsigned int i = 0; i < PERF_FEATURE_COUNT; i++)
		if ((dropped & (1u << i)) && has_feature(&asked, i))
			drop_feature(&asked, i);
	fd = open_less_precise(&asked, place);
	for (unsigned int i = 0; i < PERF_FEATURE_COUNT && fd == -EINVAL; i++) {
		if (!has_feature(&asked, i))
			continue;
		drop_feature(&asked, i);
		dropped |= 1u << i;
		fd = open_less_precise(&asked, place);
	}
	if (fd < 0)
		return fd;
	*attr = asked;
	features->dropped = dropped;
	return fd;
}
