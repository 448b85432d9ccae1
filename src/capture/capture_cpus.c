/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the sources of CPUs that come online, and closes the sources of CPUs that go offline. When
 * a CPU goes offline, the kernel stops the events of that CPU permanently.
 */
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

static struct collector_cpu collector_cpu(struct source *source)
{
	return (struct collector_cpu){
		.cpu = source->cpu,
		.event_fds = source->sample_fds.at,
		.event_count = source->sample_fds.count,
		.samples = &source->samples,
	};
}

/*
 * Adds the rings of @source to the epoll set. The rings are edge-triggered. If they were
 * level-triggered, a ring whose threads have all exited would always be reported as ready.
 */
static int watch(const struct capture *capture, struct source *source, struct err *err)
{
	const struct collector *collector = capture->collector;
	const struct collector_cpu cpu = collector_cpu(source);
	const int fds[] = { collector->ops->poll_fd(collector, &cpu), source->sideband_fds.at[0] };

	for (size_t i = 0; i < 2; i++) {
		struct epoll_event event = { .events = EPOLLIN | EPOLLET };

		/*
		 * A ring of the in-kernel sampler stays in the epoll set while its CPU is offline,
		 * so the ring may be in the set already.
		 */
		if (epoll_ctl(capture->epoll_fd, EPOLL_CTL_ADD, fds[i], &event) < 0 &&
		    errno != EEXIST)
			return err_sys(err, -errno, "cannot watch CPU %u", source->cpu);
	}
	return 0;
}

static int open_cpu(struct capture *capture, int cpu, struct err *err)
{
	struct source **slot = vec_push(&capture->sources);
	struct source *source = NULL;
	struct collector_cpu opened;
	int rc;

	if (!slot)
		return err_set(err, -ENOMEM, "out of memory");
	rc = source_open(&capture->plan, (uint32_t)cpu, &capture->ids, &source, err);
	if (rc < 0) {
		capture->sources.count--;
		return rc;
	}
	*slot = source;
	opened = collector_cpu(source);
	rc = capture->collector->ops->attach(capture->collector, &opened, err);
	if (rc < 0)
		return rc;
	rc = watch(capture, source, err);
	if (rc < 0)
		return rc;
	return capture->enabled ? source_enable(source) : 0;
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
		return err_set(err, -ENODEV, "none of the requested CPUs is online");
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

int capture_has_offline(struct capture *capture, struct err *err)
{
	_cleanup_(cpus_fini) struct cpus online = VEC_INIT;
	int rc = cpus_online(&online, err);
	bool any = false;

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < capture->sources.count; i++) {
		struct source *source = capture->sources.at[i];

		source->offline = !cpus_has(&online, (int)source->cpu) ||
				  !source_is_running(source);
		any |= source->offline;
	}
	return any;
}

void capture_close_offline(struct capture *capture)
{
	for (size_t i = 0; i < capture->sources.count;) {
		if (capture->sources.at[i]->offline)
			retire(capture, i);
		else
			i++;
	}
}
