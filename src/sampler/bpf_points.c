/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches the program of bpf/points.h to tracepoints, and enables or disables it. */
#include "sampler/bpf_sampler-private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "sampler.skel.h"
#include "sampler/bpf_feed.h"

/*
 * Returns the number of hits since loading for which the kernel skipped the program; 0 on kernels
 * that do not count such hits.
 */
static uint64_t misses(const struct bpf_sampler *sampler)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size_bytes = sizeof(info);
	int program_fd = bpf_program__fd(sampler->skel->progs.sample_point);

	if (program_fd < 0 || bpf_obj_get_info_by_fd(program_fd, &info, &size_bytes) < 0)
		return 0;
	return info.recursion_misses;
}

int bpf_sampler_attach_point(struct bpf_sampler *sampler, int event_fd, uint32_t event,
			     const struct wire_point *point, struct err *err)
{
	int rc;

	if (event < WIRE_EVENTS_MAX)
		sampler->skel->bss->points[event] = *point;
	rc = sampler_link(sampler, sampler->skel->progs.sample_point, event_fd, event, err);
	/*
	 * This is the error for probes. They are attached like tracepoints, but need BPF programs
	 * of another type.
	 */
	if (rc == -EINVAL)
		return err_set(err, rc,
			       "kernel and user probes (kprobe, uprobe) need the ring collector");
	return rc;
}

void bpf_sampler_enable_points(struct bpf_sampler *sampler, bool on)
{
	if (on)
		sampler->points_missed = misses(sampler);
	sampler->skel->bss->points_enabled = on;
	if (on)
		return;
	(void)bpf_sampler_wait(sampler);
	sampler->points_missed = misses(sampler) - sampler->points_missed;
}

uint64_t bpf_sampler_points_missed(const struct bpf_sampler *sampler)
{
	return sampler->skel->bss->points_enabled ? misses(sampler) - sampler->points_missed
						  : sampler->points_missed;
}
