/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs that come and go: the kernel silences the events of a CPU that is taken away. */
#include <errno.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "capture/capture-private.h"

static struct source *source_of(const struct capture *capture, int cpu)
{
	for (size_t i = 0; i < capture->sources.count; i++)
		if (capture->sources.at[i]->cpu == (uint32_t)cpu)
			return capture->sources.at[i];
	return NULL;
}

/* Edge-triggered: a ring whose threads have all exited would otherwise report for ever. */
static int watch(const struct capture *capture, const struct source *source, struct err *err)
{
	const struct bpf_sampler *sampler = capture->collector
						    ? bpf_collector_sampler(capture->collector)
						    : NULL;
	const int fds[] = {
		sampler ? bpf_sampler_ring_fd(sampler, (int)source->cpu) : source->sample_fds.at[0],
		source->sideband_fds.at[0],
	};

	for (size_t i = 0; i < 2; i++) {
		struct epoll_event event = { .events = EPOLLIN | EPOLLET };

		/* A ring of the sampler's outlives a CPU's going and coming back. */
		if (epoll_ctl(capture->epoll_fd, EPOLL_CTL_ADD, fds[i], &event) < 0 &&
		    errno != EEXIST)
			return err_sys(err, -errno, "watching CPU %u", source->cpu);
	}
	return 0;
}

static int open_cpu(struct capture *capture, int cpu, struct err *err)
{
	struct source **slot = vec_push(&capture->sources);
	struct source *source = NULL;
	int rc;

	if (!slot)
		return err_set(err, -ENOMEM, "out of memory");
	rc = source_open(&capture->plan, (uint32_t)cpu, &capture->ids, &source, err);
	if (rc < 0) {
		capture->sources.count--;
		return rc;
	}
	*slot = source;
	if (capture->collector)
		rc = bpf_collector_attach(capture->collector, source, err);
	if (rc == 0)
		rc = watch(capture, source, err);
	if (rc == 0 && capture->enabled)
		rc = source_enable(source);
	return rc;
}

int capture_open_cpus(struct capture *capture, struct err *err)
{
	_cleanup_(cpus_fini) struct cpus online = VEC_INIT;
	int rc = cpus_online(&online, err);

	if (rc < 0)
		return rc;
	if (capture->wanted.count)
		cpus_intersect(&online, &capture->wanted);
	for (size_t i = 0; i < online.count; i++) {
		if (source_of(capture, online.at[i]))
			continue;
		rc = open_cpu(capture, online.at[i], err);
		if (rc < 0 && rc != -ENODEV)
			return rc;
	}
	if (!capture->sources.count)
		return err_set(err, -ENODEV, "none of the CPUs that were asked for is online");
	return 0;
}

static void retire(struct capture *capture, size_t index)
{
	struct source *source = capture->sources.at[index];

	source_count_lost(source, &capture->closed);
	loss_add(&capture->model->losses, LOSS_CPU_OFFLINE, 1);
	source_free(source);
	capture->sources.at[index] = capture->sources.at[--capture->sources.count];
}

int capture_close_cpus(struct capture *capture, struct sample_batch *batch, struct err *err)
{
	_cleanup_(cpus_fini) struct cpus online = VEC_INIT;
	int rc = cpus_online(&online, err);
	bool merged = false;

	for (size_t i = 0; rc == 0 && i < capture->sources.count;) {
		struct source *source = capture->sources.at[i];

		if (cpus_has(&online, (int)source->cpu) && source_is_running(source)) {
			i++;
			continue;
		}
		if (!merged)	/* what the ring still holds, in order with the rest */
			rc = capture_merge(capture, UINT64_MAX, batch, err);
		merged = true;
		retire(capture, i);
	}
	return rc;
}
