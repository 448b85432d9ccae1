/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/capture.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/capture-private.h"
#include "process/kernel_text.h"
#include "process/proc_read.h"
#include "process/proc_stat.h"
#include "process/time_shift.h"
#include "model/wait.h"

/*
 * Maximum time between a record's timestamp and the moment when the record is visible in the ring.
 */
#define VISIBLE_AFTER_NS (2 * NS_PER_MSEC)

#define CPU_CHECK_NS NS_PER_SEC
/* after a useless drain, how long capture_drain_is_due() returns false */
#define REST_NS (100 * NS_PER_MSEC)

/* ---- setting up ---- */

static int add_events(struct capture *capture)
{
	const struct event_plan *plan = &capture->plan;

	for (size_t i = 0; i < plan->sampled_count + plan->counter_count; i++) {
		bool counter = i >= plan->sampled_count;
		const struct event_spec *spec = counter ? &plan->counters[i - plan->sampled_count]
							: &plan->sampled[i];
		struct event *event = vec_push(&capture->model->events);

		if (!event)
			return -ENOMEM;
		event->name = model_intern(capture->model, spec->name);
		event->type = spec->attr.type;
		event->config = spec->attr.config;
		event->period = spec->attr.freq ? 0 : spec->attr.sample_period;
		event->frequency_hz = spec->attr.freq ? spec->attr.sample_freq : 0;
		event->is_time = spec->is_time;
		event->is_counter = counter;
		event->has_ticks = !counter && event_plan_has_ticks(plan, i);
	}
	for (size_t i = 0; i < plan->field_count; i++)
		if (sample_field_add(capture->model, (enum sample_field)plan->fields[i]) < 0)
			return -ENOMEM;
	return 0;
}

static void describe(struct capture *capture, const struct capture_options *options)
{
	const struct event_plan *plan = &capture->plan;
	const char *scope = plan->per_task ? "only the target threads" : "every CPU";
	const struct collector_ops *collector = capture->collector->ops;
	const char *why = "";

	if (plan->per_task && options->counters)
		why = ", because counters are kept for each thread";
	else if (plan->per_task)
		why = ", because CPU-wide events need CAP_PERFMON or "
		      "kernel.perf_event_paranoid <= 0";
	(void)snprintf(capture->description, sizeof(capture->description),
		       "%s; watching %s%s%s%s%s",
		       options->events ? options->events : plan->event_why, scope, why,
		       plan->user_only ? "; user mode only" : "", collector->how,
		       capture->why_ring);
	model_fact_set(capture->model, FACT_DESCRIBE, "%s", capture->description);
	model_fact_set(capture->model, FACT_SCOPE, "%s", plan->per_task ? "task" : "cpu");
	model_fact_set(capture->model, FACT_COLLECTOR, "%s", collector->name);
	if (plan->stack_bytes)
		model_fact_set(capture->model, FACT_CALLGRAPH, "dwarf,%u", plan->stack_bytes);
	else
		model_fact_set(capture->model, FACT_CALLGRAPH, "%s",
			       options->callgraph == CALLGRAPH_NONE ? "none"
								    : collector->callgraph);
	model_fact_set_u64(capture->model, FACT_CPUS, capture->sources.count);
}

static int compare_tids(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

static int watch_target(struct capture *capture, uint32_t tgid, uint32_t tid)
{
	struct watched *watched = vec_push(&capture->watched);

	if (!watched)
		return -ENOMEM;
	watched->tgid = tgid;
	watched->tid = tid;
	watched->pidfd = (int)syscall(SYS_pidfd_open, tgid, 0);
	return watched->pidfd < 0 ? -errno : 0;
}

/*
 * Returns the tgid of the process that thread @tid belongs to. /proc/TID exists for every thread,
 * and its status file contains the tgid.
 */
static uint32_t tgid_of(uint32_t tid)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], line[256];
	unsigned int tgid = 0;

	(void)snprintf(path, sizeof(path), "/proc/%u/status", tid);
	file = fopen(path, "re");
	while (file && !tgid && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &tgid) == 1)
			break;
	return tgid;
}

static int mark_target(struct capture *capture, uint32_t id, struct err *err)
{
	uint32_t tgid = capture->target == TARGET_THREADS ? tgid_of(id) : id;
	int rc;

	if (!tgid || !tracker_mark_target(capture->tracker, tgid))
		return err_set(err, -ESRCH, "no such %s: %u",
			       capture->target == TARGET_THREADS ? "thread" : "process", id);
	rc = capture->collector->ops->add_target(capture->collector, tgid);
	if (rc < 0)
		return err_sys(err, rc, "cannot sample process %u", tgid);
	rc = watch_target(capture, tgid, capture->target == TARGET_THREADS ? id : 0);
	return rc < 0 ? err_sys(err, rc, "cannot watch process %u", tgid) : 0;
}

static int add_only_tids(struct capture *capture, const struct capture_options *options)
{
	if (vec_reserve(&capture->only_tids, options->id_count) < 0)
		return -ENOMEM;
	memcpy(capture->only_tids.at, options->ids, options->id_count * sizeof(*options->ids));
	capture->only_tids.count = options->id_count;
	qsort(capture->only_tids.at, options->id_count, sizeof(*options->ids), compare_tids);
	capture->intake.only_tids = capture->only_tids.at;
	capture->intake.only_tid_count = capture->only_tids.count;
	return 0;
}

/*
 * Tells the collector which processes the tracker chose by name. If a process has exited already,
 * or the collector has no room for it, it has no samples.
 */
static void add_named_targets(struct capture *capture)
{
	uint32_t tgid;

	while (tracker_take_target(capture->tracker, &tgid))
		if (capture->collector->ops->add_target(capture->collector, tgid) < 0)
			loss_add(&capture->model->losses, LOSS_MEMORY, 1);
}

static int mark_targets(struct capture *capture, const struct capture_options *options,
			struct err *err)
{
	int rc;

	add_named_targets(capture);
	if (capture->target == TARGET_COMMAND)
		return mark_target(capture, options->command_tgid, err);
	if (capture->target == TARGET_THREADS) {
		rc = add_only_tids(capture, options);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < options->id_count; i++) {
		rc = mark_target(capture, options->ids[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int make_stages(struct capture *capture, const struct capture_options *options)
{
	struct model *model = capture->model;
	const struct tracker_options tracker = {
		.all_are_targets = collector_has_no_list(capture->target),
		.read_proc = true,
		.command_lines = options->command_lines,
		.names = options->names,
		.name_count = options->name_count,
	};
	int rc = pins_new(model, options->opener, &capture->pins);

	if (rc < 0)
		return rc;
	if (options->memory.pins_max)
		pins_limit(capture->pins, options->memory.pins_max);
	rc = image_tables_new(capture->pins, options->readers, options->cache_dir,
			      options->memory.own_table_bytes, &capture->tables);
	if (rc < 0)
		return rc;
	rc = tracker_new(model, capture->pins, &tracker, &capture->tracker);
	if (rc < 0)
		return rc;
	rc = kernel_images_new(model, &capture->kernel_images);
	if (rc < 0)
		return rc;
	rc = kernel_images_add_kallsyms(capture->kernel_images, options->kallsyms);
	if (rc < 0)
		return rc;
	rc = kernel_text_from_kallsyms(options->kallsyms, &capture->kernel_text);
	if (rc < 0)
		return rc;
	rc = chains_new(model, capture->tracker, capture->kernel_images, &capture->chains);
	if (rc < 0)
		return rc;
	sent_stacks_limit(chains_sent_stacks(capture->chains), options->memory.sent_stack_bytes);
	capture->intake = (struct intake){
		.model = model,
		.tracker = capture->tracker,
		.chains = capture->chains,
		.kernel_images = capture->kernel_images,
		.kernel_text = &capture->kernel_text,
		.ids = &capture->ids,
		.counter_count = capture->plan.counter_count,
		.counters_per_thread = capture->plan.per_task,
		.field_count = capture->plan.field_count,
		.self_tgid = options->leave_out_self ? (uint32_t)getpid() : 0,
		.want_user_stack = options->callgraph != CALLGRAPH_NONE,
	};
	memcpy(capture->intake.fields, capture->plan.fields, sizeof(capture->intake.fields));
	capture->stack_walker = (struct stack_walker){
		.tracker = capture->tracker,
		.tables = capture->tables,
	};
	if (capture->plan.stack_bytes)
		chains_walk_stacks(capture->chains, &capture->stack_walker);
	return 0;
}

static int choose_collector(struct capture *capture, const struct capture_options *options,
			    struct err *err)
{
	const struct collector_parts parts = {
		.model = capture->model,
		.tracker = capture->tracker,
		.pins = capture->pins,
		.tables = capture->tables,
		.chains = capture->chains,
		.stack_walker = &capture->stack_walker,
		.kernel_text = &capture->kernel_text,
		.plan = &capture->plan,
		.intake = &capture->intake,
	};
	int rc;

	if (vec_reserve(&capture->intake.events, capture->plan.sampled_count) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	capture->intake.events.count = capture->plan.sampled_count;
	rc = collector_choose(&parts, options, &capture->collector, capture->why_ring,
			      sizeof(capture->why_ring), err);
	if (rc < 0)
		return rc;
	capture_tell_periods(capture, true);
	return 0;
}

/* Checks whether assay can record on this machine, and makes the event plan. */
static int plan_capture(struct capture *capture, const struct capture_options *options,
			struct err *err)
{
	int rc = proc_check_namespace(err);

	if (rc < 0)
		return rc;
	rc = time_shift_check(err);
	if (rc < 0)
		return rc;
	if (options->cpus) {
		rc = cpus_parse(options->cpus, &capture->wanted, err);
		if (rc < 0)
			return rc;
	}
	return event_plan_make(&capture->plan, options, err);
}

/*
 * Opens the events before it reads /proc. Process events that occur while /proc is being read are
 * therefore recorded.
 */
static int set_up(struct capture *capture, const struct capture_options *options, struct err *err)
{
	int rc = plan_capture(capture, options, err);

	if (rc < 0)
		return rc;
	capture->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (capture->epoll_fd < 0)
		return err_sys(err, -errno, "epoll");
	rc = make_stages(capture, options);
	if (rc < 0)
		return err_sys(err, rc, "cannot start collecting");
	rc = choose_collector(capture, options, err);
	if (rc < 0)
		return rc;
	rc = add_events(capture);
	if (rc < 0)
		return rc;
	if (options->off_cpu) {
		rc = wait_events_add(capture->model, options->off_cpu_min_ns,
				     &capture->intake.first_wait_event);
		if (rc < 0)
			return rc;
	}
	rc = capture_open_cpus(capture, err);
	if (rc < 0)
		return rc;
	rc = tracker_scan(capture->tracker, 0, err);
	if (rc < 0)
		return rc;
	return mark_targets(capture, options, err);
}

int capture_new(struct model *model, const struct capture_options *options,
		struct capture **ret_capture, struct err *err)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	int rc;

	if (!capture)
		return err_set(err, -ENOMEM, "out of memory");
	capture->model = model;
	capture->target = options->target;
	capture->has_names = options->name_count > 0;
	capture->epoll_fd = -1;
	capture->plan.cgroup_fd = -1;
	rc = set_up(capture, options, err);
	if (rc < 0) {
		capture_free(capture);
		return rc;
	}
	describe(capture, options);
	*ret_capture = capture;
	return 0;
}

void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	for (size_t i = 0; i < capture->sources.count; i++)
		source_free(capture->sources.at[i]);
	vec_free(&capture->sources);
	if (capture->spans.ops)
		capture->spans.ops->unmap(&capture->spans);
	for (size_t i = 0; i < capture->watched.count; i++)
		if (capture->watched.at[i].pidfd >= 0)
			(void)close(capture->watched.at[i].pidfd);
	vec_free(&capture->watched);
	vec_free(&capture->only_tids);
	intake_fini(&capture->intake);
	chains_free(capture->chains);
	collector_free(capture->collector);
	image_tables_free(capture->tables);
	kernel_text_fini(&capture->kernel_text);
	kernel_images_free(capture->kernel_images);
	tracker_free(capture->tracker);
	pins_free(capture->pins);
	merge_fini(&capture->merge);
	u64map_fini(&capture->ids);
	cpus_fini(&capture->wanted);
	event_plan_fini(&capture->plan);
	if (capture->epoll_fd >= 0)
		(void)close(capture->epoll_fd);
	free(capture);
}

const char *capture_describe(const struct capture *capture)
{
	return capture->description;
}

bool capture_sees_kernel(const struct capture *capture)
{
	return !capture->plan.user_only;
}

uint32_t capture_kernel_uses(const struct capture *capture)
{
	const struct collector *collector = capture->collector;

	return collector->ops->kernel_uses ? collector->ops->kernel_uses(collector) : 0;
}

int capture_poll_fd(const struct capture *capture)
{
	return capture->epoll_fd;
}

void capture_forget_stacks(struct capture *capture)
{
	intake_forget_stacks(&capture->intake);
}

const struct image_file *capture_image_file(void *capture, uint32_t image)
{
	return pins_file(((struct capture *)capture)->pins, image);
}

bool capture_take_jit_dump(struct capture *capture, struct jit_mapped_dump *ret_dump)
{
	return tracker_take_jit_dump(capture->tracker, ret_dump);
}

/* ---- running ---- */

int capture_enable(struct capture *capture, struct err *err)
{
	int rc;

	capture->enabled = true;
	(void)proc_stat_read(&capture->model->ledger, NULL);
	rc = capture->collector->ops->start(capture->collector, err);
	if (rc < 0)
		return rc;
	if (capture->plan.sampled[0].attr.enable_on_exec)
		return 0;
	for (size_t i = 0; i < capture->sources.count; i++) {
		rc = source_enable(capture->sources.at[i]);
		if (rc < 0)
			return err_sys(err, rc, "cannot enable the events of CPU %u",
				       capture->sources.at[i]->cpu);
	}
	return 0;
}

int capture_disable(struct capture *capture)
{
	for (size_t i = 0; i < capture->sources.count; i++)
		source_disable(capture->sources.at[i]);
	if (capture->enabled) {
		capture->collector->ops->stop(capture->collector);
		(void)proc_stat_read(&capture->model->ledger, NULL);
	}
	capture->ended = capture->ended || capture->enabled;
	capture->enabled = false;
	return 0;
}

static void count_malformed(struct capture *capture)
{
	for (size_t i = 0; i < capture->sources.count; i++) {
		struct source *source = capture->sources.at[i];

		loss_add(&capture->model->losses, LOSS_RECORD_MALFORMED,
			 source->samples.malformed + source->sideband.malformed);
		source->samples.malformed = 0;
		source->sideband.malformed = 0;
	}
	loss_add(&capture->model->losses, LOSS_RECORD_MALFORMED, capture->spans.malformed);
	capture->spans.malformed = 0;
}

static struct source *owner(const struct stream *stream)
{
	size_t offset = stream->sideband ? offsetof(struct source, sideband)
					 : offsetof(struct source, samples);

	return (struct source *)(void *)((char *)(uintptr_t)stream - offset);
}

/* The origin of a record. Spans are of all CPUs, and have no ticks. */
static struct intake_source origin(const struct capture *capture, const struct stream *stream)
{
	struct source *source;

	if (stream == &capture->spans)
		return (struct intake_source){ stream->record.cpu, NULL };
	source = owner(stream);
	return (struct intake_source){ source->cpu, source->ticks };
}

/*
 * For each ring of process events that was full and has now been emptied: notes that the loss ended
 * now.
 */
static void end_cuts(struct capture *capture)
{
	uint64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < capture->sources.count; i++)
		if (stream_is_cut(&capture->sources.at[i]->sideband))
			capture->sources.at[i]->sideband.freed_ns = now_ns;
	tracker_end_distrust(capture->tracker, now_ns);
}

static int merge_sources(struct capture *capture)
{
	for (size_t i = 0; i < capture->sources.count; i++) {
		struct source *source = capture->sources.at[i];
		int rc = merge_add(&capture->merge, &source->sideband);

		if (rc < 0)
			return rc;
		rc = merge_add(&capture->merge, &source->samples);
		if (rc < 0)
			return rc;
	}
	return capture->spans.ops ? merge_add(&capture->merge, &capture->spans) : 0;
}

static int take_in(struct capture *capture, uint64_t horizon_ns, struct sample_batch *batch)
{
	struct stream *stream;
	int rc = merge_sources(capture);

	if (rc < 0)
		return rc;
	while ((stream = merge_first(&capture->merge)) != NULL &&
	       stream->record.time_ns < horizon_ns) {
		const struct intake_source source = origin(capture, stream);

		rc = intake_record(&capture->intake, &source, &stream->record, batch);
		merge_advance(&capture->merge);
		if (stream_is_cut(stream))
			tracker_distrust(capture->tracker, stream->last_ns, UINT64_MAX);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/*
 * Reads the records of all sources in time order, and processes each record whose timestamp is
 * before @horizon_ns.
 */
static int merge_records(struct capture *capture, uint64_t horizon_ns, struct sample_batch *batch,
			 struct err *err)
{
	int rc = take_in(capture, horizon_ns, batch);

	merge_end(&capture->merge);
	end_cuts(capture);
	count_malformed(capture);
	return rc < 0 ? err_sys(err, rc, "collecting") : 0;
}

static void clear_edges(const struct capture *capture)
{
	struct epoll_event events[64];

	while (epoll_wait(capture->epoll_fd, events, 64, 0) == 64)
		;
}

bool capture_drain_is_due(const struct capture *capture)
{
	if (clock_monotonic_ns() >= capture->rest_end_ns)
		return true;
	clear_edges(capture);
	for (size_t i = 0; i < capture->sources.count; i++)
		if (stream_is_pressing(&capture->sources.at[i]->samples) ||
		    stream_is_pressing(&capture->sources.at[i]->sideband))
			return true;
	return capture->spans.ops && stream_is_pressing(&capture->spans);
}

/*
 * Closes the sources of CPUs that went offline. All rings are drained first, so that the last
 * records of these CPUs are processed in time order with the others.
 */
static int close_offline(struct capture *capture, struct sample_batch *batch, struct err *err)
{
	int rc = capture_has_offline(capture, err);

	if (rc <= 0)
		return rc;
	rc = merge_records(capture, UINT64_MAX, batch, err);
	capture_close_offline(capture);
	return rc;
}

/*
 * Opens the events of CPUs that came online. What processes did there since @offline_ns, when the
 * CPUs were last found to be offline, is not known.
 */
static int open_online(struct capture *capture, uint64_t offline_ns, struct sample_batch *batch,
		       struct err *err)
{
	size_t before = capture->sources.count;
	int rc = capture_open_cpus(capture, err);

	if (rc < 0 || capture->sources.count == before)
		return rc;
	rc = merge_records(capture, offline_ns, batch, err);
	tracker_distrust(capture->tracker, offline_ns, clock_monotonic_ns());
	return rc;
}

/*
 * Handles CPUs that went offline or came online. If @all is true (the final drain), does not open
 * the events of CPUs that came online.
 */
static int check_cpus(struct capture *capture, uint64_t now_ns, struct sample_batch *batch,
		      bool all, struct err *err)
{
	uint64_t last_ns = capture->cpu_check_ns;
	int rc;

	capture->cpu_check_ns = now_ns;
	rc = close_offline(capture, batch, err);
	if (rc < 0)
		return rc;
	return all ? 0 : open_online(capture, last_ns, batch, err);
}

int capture_drain(struct capture *capture, struct sample_batch *batch, bool all, struct err *err)
{
	uint64_t now_ns = clock_monotonic_ns();
	int rc;

	clear_edges(capture);
	if (now_ns - capture->cpu_check_ns >= CPU_CHECK_NS && !capture->plan.per_task) {
		rc = check_cpus(capture, now_ns, batch, all, err);
		if (rc < 0)
			return rc;
	}
	rc = merge_records(capture, all ? UINT64_MAX : now_ns - VISIBLE_AFTER_NS, batch, err);
	if (rc < 0)
		return rc;
	add_named_targets(capture);
	if (!all && !capture->collector->ops->feed(capture->collector))
		capture->rest_end_ns = clock_monotonic_ns() + REST_NS;
	return 0;
}

/* The counts of perf's events. The in-kernel sampler has its own. */
static void count_due_ticks(struct capture *capture)
{
	uint64_t threads = capture->plan.per_task
				   ? capture->intake.fork_count + capture->plan.tids.count
				   : 0;
	uint64_t lost = 0;

	for (size_t i = 0; i < capture->sources.count; i++)
		lost += source_store_ticks(capture->sources.at[i], &capture->plan, threads,
					   capture->model);
	capture->model->losses.count[LOSS_TICK_OVERRUN] = lost;
}

void capture_account(struct capture *capture)
{
	struct losses *losses = &capture->model->losses;
	struct losses rings = capture->closed;

	for (size_t i = 0; i < capture->sources.count; i++)
		source_count_lost(capture->sources.at[i], &rings);
	losses->count[LOSS_SAMPLE_RING_FULL] = rings.count[LOSS_SAMPLE_RING_FULL];
	losses->count[LOSS_SIDEBAND_RING_FULL] = rings.count[LOSS_SIDEBAND_RING_FULL];
	loss_add(losses, LOSS_READER_ENDED, image_tables_take_lost(capture->tables));
	intake_account(&capture->intake);
	model_health_settle(capture->model);
	capture->collector->ops->account(capture->collector, capture->plan.sampled_count,
					 capture->ended, losses);
	if (capture->enabled)
		(void)proc_stat_read(&capture->model->ledger, NULL);
	if (capture->ended && !capture->plan.in_kernel)
		count_due_ticks(capture);
}

static bool has_exited(const struct watched *watched)
{
	struct pollfd fd = { .fd = watched->pidfd, .events = POLLIN };
	char path[64];

	if (poll(&fd, 1, 0) > 0)
		return true;
	(void)snprintf(path, sizeof(path), "/proc/%u/task/%u", watched->tgid, watched->tid);
	return watched->tid && access(path, F_OK) < 0;
}

bool capture_targets_gone(const struct capture *capture)
{
	if (capture->has_names)
		return false;
	for (size_t i = 0; i < capture->watched.count; i++)
		if (!has_exited(&capture->watched.at[i]))
			return false;
	return capture->watched.count > 0;
}
