/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/sources.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/event_reading.h"

/*
 * Minimum size of a ring. A low mlock limit can make rings smaller than planned, but never smaller
 * than this.
 */
#define RING_LEAST_BYTES (32u << 10)

struct opening {
	struct event_plan *plan;
	struct source *source;
	struct u64map *ids;
	struct perf_place place;
	struct err *err;
};

/*
 * Makes @fd write into the stream's ring. The ring is mapped for the first event; the other events
 * share it.
 */
static int attach(struct stream *stream, int fd, int first_fd, size_t size_bytes, struct err *err)
{
	if (!stream->ring.control)
		return ring_map(&stream->ring, fd, size_bytes, RING_LEAST_BYTES, err);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, first_fd) < 0)
		return err_sys(err, -errno, "cannot share the ring of CPU %u", stream->cpu);
	return 0;
}

static void close_event(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

static int keep_fd(struct opening *opening, int fd, bool sideband)
{
	int *slot = sideband ? vec_push(&opening->source->sideband_fds)
			     : vec_push(&opening->source->sample_fds);

	if (!slot) {
		close_event(fd);
		return err_set(opening->err, -ENOMEM, "out of memory");
	}
	*slot = fd;
	return 0;
}

static int open_counters(struct opening *opening, int leader)
{
	struct event_plan *plan = opening->plan;
	struct perf_place place = opening->place;

	place.group_fd = leader;
	for (size_t i = 0; i < plan->counter_count; i++) {
		struct perf_event_attr attr = plan->counters[i].attr;
		int fd = perf_open(&attr, &place, &plan->features);

		if (fd < 0)
			return perf_explain(opening->err, fd, &plan->counters[i], !plan->per_task);
		if (keep_fd(opening, fd, false) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Fails if the kernel is too old for a feature that assay needs. */
static int check_features(const struct opening *opening)
{
	const struct perf_features *features = &opening->plan->features;

	if (perf_dropped(features, PERF_FEATURE_CLOCKID))
		return err_set(opening->err, -EOPNOTSUPP,
			       "this kernel cannot use CLOCK_MONOTONIC for the times of perf "
			       "events");
	if (opening->plan->counter_count && perf_dropped(features, PERF_FEATURE_INHERITED_READ))
		return err_set(opening->err, -EOPNOTSUPP,
			       "this kernel cannot read counters with each sample of single "
			       "threads and their children; it can if the whole machine is "
			       "sampled");
	return 0;
}

static int open_sampled(struct opening *opening, size_t event)
{
	struct event_plan *plan = opening->plan;
	struct source *source = opening->source;
	struct perf_event_attr attr = plan->sampled[event].attr;
	uint64_t id;
	int fd, rc;

	if (plan->in_kernel && event_plan_is_point(plan, event))
		return keep_fd(opening, -1, false);
	fd = perf_open(&attr, &opening->place, &plan->features);
	if (fd == -ESRCH)
		return fd;
	if (fd < 0)
		return perf_explain(opening->err, fd, &plan->sampled[event], !plan->per_task);
	rc = keep_fd(opening, fd, false);
	if (rc < 0)
		return rc;
	rc = check_features(opening);
	if (rc < 0)
		return rc;
	plan->sample_layout = (struct record_layout){
		.sample_type = attr.sample_type,
		.read_format = attr.read_format,
		.regs_user = attr.sample_regs_user,
		.sample_id_all = attr.sample_id_all,
	};
	if (plan->in_kernel)
		return 0;
	rc = attach(&source->samples, fd, source->sample_fds.at[0], plan->sample_ring_bytes,
		    opening->err);
	if (rc < 0)
		return rc;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		return err_sys(opening->err, -errno, "cannot read the id of an event");
	if (u64map_put(opening->ids, id, (uint32_t)event) < 0)
		return err_set(opening->err, -ENOMEM, "out of memory");
	return open_counters(opening, fd);
}

static int open_sideband(struct opening *opening)
{
	struct event_plan *plan = opening->plan;
	struct source *source = opening->source;
	struct perf_event_attr attr = plan->sideband;
	const struct event_spec dummy = { .name = "process events" };
	struct perf_place place = opening->place;
	int fd, rc;

	if (plan->cgroup_fd >= 0) {
		place.pid = -1;
		place.flags = 0;
	}
	fd = perf_open(&attr, &place, &plan->features);
	if (fd == -ESRCH)
		return fd;
	if (fd < 0)
		return perf_explain(opening->err, fd, &dummy, !plan->per_task);
	rc = keep_fd(opening, fd, true);
	if (rc < 0)
		return rc;
	plan->sideband_layout = (struct record_layout){
		.sample_type = attr.sample_type,
		.read_format = attr.read_format,
		.sample_id_all = attr.sample_id_all,
	};
	return attach(&source->sideband, fd, source->sideband_fds.at[0], plan->sideband_ring_bytes,
		      opening->err);
}

/* Opens all events for one place: a CPU, or a thread on a CPU. */
static int open_place(struct opening *opening)
{
	int rc = open_sideband(opening);

	if (rc < 0)
		return rc;
	for (size_t event = 0; event < opening->plan->sampled_count; event++) {
		rc = open_sampled(opening, event);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Opens the events of all threads. Threads that have exited meanwhile are skipped. Fails with
 * -ESRCH if no thread is left.
 */
static int open_threads(struct opening *opening)
{
	const struct event_plan *plan = opening->plan;
	size_t opened = 0;

	for (size_t i = 0; i < plan->tids.count; i++) {
		int rc;

		opening->place.pid = (pid_t)plan->tids.at[i];
		rc = open_place(opening);
		if (rc < 0 && rc != -ESRCH)
			return rc;
		opened += rc == 0;
	}
	if (!opened)
		return err_set(opening->err, -ESRCH, "no such process or thread");
	return 0;
}

static struct source *source_new(struct event_plan *plan, uint32_t cpu)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->cpu = cpu;
	source->samples.ops = &perf_stream_ops;
	source->samples.cpu = cpu;
	source->samples.layout = &plan->sample_layout;
	source->sideband.ops = &perf_stream_ops;
	source->sideband.cpu = cpu;
	source->sideband.layout = &plan->sideband_layout;
	source->sideband.sideband = true;
	for (size_t event = 0; event < plan->sampled_count; event++) {
		source->ticks[event].period_ns = plan->sampled[event].attr.sample_period;
		source->due.period[event] = plan->sampled[event].attr.sample_period;
	}
	return source;
}

int source_open(struct event_plan *plan, uint32_t cpu, struct u64map *ids,
		struct source **ret_source, struct err *err)
{
	struct opening opening = {
		.plan = plan,
		.source = source_new(plan, cpu),
		.ids = ids,
		.place = { .pid = -1, .cpu = (int)cpu, .group_fd = -1 },
		.err = err,
	};
	int rc;

	if (!opening.source)
		return err_set(err, -ENOMEM, "out of memory");
	if (plan->cgroup_fd >= 0) {
		opening.place.pid = plan->cgroup_fd;
		opening.place.flags = PERF_FLAG_PID_CGROUP;
	}
	rc = plan->per_task ? open_threads(&opening) : open_place(&opening);
	if (rc < 0) {
		source_free(opening.source);
		return rc;
	}
	*ret_source = opening.source;
	return 0;
}

void source_free(struct source *source)
{
	if (!source)
		return;
	source->samples.ops->unmap(&source->samples);
	source->sideband.ops->unmap(&source->sideband);
	for (size_t i = 0; i < source->sample_fds.count; i++)
		close_event(source->sample_fds.at[i]);
	for (size_t i = 0; i < source->sideband_fds.count; i++)
		(void)close(source->sideband_fds.at[i]);
	vec_free(&source->sample_fds);
	vec_free(&source->sideband_fds);
	due_ticks_fini(&source->due);
	free(source);
}

int source_enable(const struct source *source)
{
	for (size_t i = 0; i < source->sample_fds.count; i++)
		if (source->sample_fds.at[i] >= 0 &&
		    ioctl(source->sample_fds.at[i], PERF_EVENT_IOC_ENABLE, 0) < 0)
			return -errno;
	return 0;
}

void source_disable(const struct source *source)
{
	for (size_t i = 0; i < source->sample_fds.count; i++)
		(void)ioctl(source->sample_fds.at[i], PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- ticks ---- */

static struct due_events due_events(const struct source *source, const struct event_plan *plan,
				    uint64_t threads)
{
	return (struct due_events){
		.plan = plan,
		.fds = source->sample_fds.at,
		.fd_count = source->sample_fds.count,
		.ticks = source->ticks,
		.cpu = source->cpu,
		.threads = threads,
	};
}

uint64_t source_store_ticks(struct source *source, const struct event_plan *plan, uint64_t threads,
			    struct model *model)
{
	const struct due_events events = due_events(source, plan, threads);

	if (due_ticks_settle(&source->due, &events) < 0) {
		loss_add(&model->losses, LOSS_MEMORY, 1);
		return 0;
	}
	return due_ticks_store(&source->due, &events, model);
}

/* ---- rates ---- */

static int set_rate(struct source *source, size_t event, int fd, bool by_frequency,
		    uint64_t rate_hz)
{
	uint64_t value = by_frequency ? rate_hz : NS_PER_SEC / rate_hz;

	if (ioctl(fd, PERF_EVENT_IOC_PERIOD, &value) < 0)
		return -errno;
	/*
	 * The ioctl restarted the timer, and the first tick with the new period comes later than
	 * now. So every sample with a timestamp before now has the old period.
	 */
	if (!by_frequency) {
		ticks_change(&source->ticks[event], value, clock_monotonic_ns());
		source->due.period[event] = value;
	}
	return 0;
}

/*
 * sample_fds lists the events of the first place (CPU or thread), then those of the second and so
 * on. Each event is followed by its counters.
 */
int source_set_rate(struct source *source, const struct event_plan *plan, uint64_t rate_hz)
{
	const struct due_events events = due_events(source, plan, 0);
	size_t stride = 1 + plan->counter_count;
	int first = due_ticks_settle(&source->due, &events);

	for (size_t i = 0; i < source->sample_fds.count; i += stride) {
		size_t event = i / stride % plan->sampled_count;
		int rc = 0;

		if (event_plan_has_rate(plan, event))
			rc = set_rate(source, event, source->sample_fds.at[i],
				      plan->sampled[event].attr.freq, rate_hz);
		if (first == 0)
			first = rc;
	}
	return first;
}

/* ---- losses ---- */

static uint64_t sum_lost(const int *fds, size_t count, const struct stream *stream)
{
	struct event_reading reading;
	uint64_t lost = 0;

	for (size_t i = 0; i < count && stream->layout->read_format & PERF_FORMAT_LOST; i++)
		if (event_read(fds[i], stream->layout->read_format, &reading))
			lost += reading.lost;
	return lost > stream->lost ? lost : stream->lost;
}

void source_count_lost(const struct source *source, struct losses *losses)
{
	loss_add(losses, LOSS_SAMPLE_RING_FULL,
		 sum_lost(source->sample_fds.at, source->sample_fds.count, &source->samples));
	loss_add(losses, LOSS_SIDEBAND_RING_FULL,
		 sum_lost(source->sideband_fds.at, source->sideband_fds.count, &source->sideband));
}

bool source_is_running(struct source *source)
{
	uint64_t before_ns = source->enabled_ns;
	struct event_reading reading;

	if (!event_read(source->sideband_fds.at[0], source->sideband.layout->read_format, &reading))
		return false;
	source->enabled_ns = reading.enabled_ns;
	return reading.enabled_ns != before_ns;
}
