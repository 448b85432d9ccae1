/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program of bpf/points.h: attaching it to tracepoints, and switching it. */
#include "capture/bpf_sampler-private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "sampler.skel.h"

/* Hits that the program was not called for, since it was loaded; 0 on kernels that do not count. */
static uint64_t misses(const struct bpf_sampler *sampler)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size_bytes = sizeof(info);
	int program_fd = bpf_program__fd(sampler->skel->progs.sample_point);

	if (program_fd < 0 || bpf_obj_get_info_by_fd(program_fd, &info, &size_bytes) < 0)
		return 0;
	return info.recursion_misses;
}

/* Probes come by the same way as tracepoints, but take programs of another type. */
static int refuse(int code, struct err *err)
{
	if (code == -EINVAL)
		return err_set(err, code, "a probe of kernel or user code is the ring's to sample");
	return err_sys(err, code, "cannot attach the sampler to a tracepoint");
}

int bpf_sampler_attach_point(struct bpf_sampler *sampler, int event_fd, uint32_t event,
			     const struct wire_point *point, struct err *err)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = event);
	int program_fd = bpf_program__fd(sampler->skel->progs.sample_point);
	int *link;
	int fd;

	if (event >= WIRE_EVENTS_MAX)
		return err_set(err, -E2BIG, "more than %u events at once", WIRE_EVENTS_MAX);
	link = vec_push(&sampler->links);
	if (!link)
		return err_sys(err, -ENOMEM, "cannot attach the sampler");
	sampler->skel->bss->points[event] = *point;
	fd = bpf_link_create(program_fd, event_fd, BPF_PERF_EVENT, &options);
	if (fd < 0) {
		sampler->links.count--;
		return refuse(fd, err);
	}
	*link = fd;
	return 0;
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
