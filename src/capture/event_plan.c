/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "process/cgroup_dir.h"
#include "perf/cpus.h"
#include "perf/event_choice.h"
#include "perf/system_limits.h"
#include "process/proc_read.h"
#include "base/small_file.h"
#include "capture/event_plan.h"
#include "intake/stack_walk.h"

#define RING_BYTES (512u << 10)

/*
 * Large enough for the process events of one second in which 1,000 programs start and exit on one
 * CPU.
 */
#define SIDEBAND_BYTES (1u << 20)

/*
 * Used if stacks are copied. Large enough for half a second of samples at 999 Hz and the default
 * stack size.
 */
#define STACK_RING_BYTES (8u << 20)

/*
 * A sample ring and a process event ring of these sizes, with their control pages, fit into the
 * default of perf_event_mlock_kb.
 */
#define UNPRIVILEGED_SAMPLE_BYTES (256u << 10)
#define UNPRIVILEGED_SIDEBAND_BYTES (128u << 10)

/*
 * Default of the bytes of a stack that are copied without privilege. Most stacks are smaller, and
 * larger copies fill the small rings faster.
 */
#define UNPRIVILEGED_STACK_BYTES 8192u

/* The kernel (perf_swevent_start_hrtimer()) silently raises shorter periods to this minimum. */
#define CLOCK_PERIOD_MIN_NS 10000

/*
 * The kernel wakes the reader when 1/8 of the planned size of a ring is filled. This leaves enough
 * free space even in a ring that had to be made smaller than planned.
 */
#define WATERMARK_SHARE 8

#define SAMPLE_FIELDS                                                                             \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |           \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define SIDEBAND_FIELDS                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

bool event_plan_has_ticks(const struct event_plan *plan, size_t event)
{
	const struct event_spec *spec = &plan->sampled[event];

	return spec->is_time && !plan->per_task && plan->cgroup_fd < 0 && !spec->attr.freq;
}

struct intake_event event_plan_intake_event(const struct event_plan *plan, size_t event)
{
	const struct event_spec *spec = &plan->sampled[event];

	return (struct intake_event){
		.period = spec->attr.sample_period,
		.is_clock = spec->is_time && !spec->attr.freq,
		.has_ticks = event_plan_has_ticks(plan, event),
	};
}

bool event_plan_has_rate(const struct event_plan *plan, size_t event)
{
	const struct event_spec *spec = &plan->sampled[event];

	return plan->by_rate && (spec->is_time || spec->attr.freq);
}

bool event_plan_is_point(const struct event_plan *plan, size_t event)
{
	return plan->sampled[event].attr.type == PERF_TYPE_TRACEPOINT;
}

bool event_plan_has_points(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->sampled_count; i++)
		if (event_plan_is_point(plan, i))
			return true;
	return false;
}

static int parse_events(struct event_plan *plan, const struct capture_options *options,
			struct err *err)
{
	int count;

	if (options->counters) {
		count = event_specs_parse(options->counters, plan->counters, RECORD_COUNTERS_MAX,
					  err);
		if (count < 0)
			return count;
		plan->counter_count = (size_t)count;
	}
	if (!options->events)
		return 0;
	count = event_specs_parse(options->events, plan->sampled, SAMPLED_EVENTS_MAX, err);
	if (count < 0)
		return count;
	plan->sampled_count = (size_t)count;
	return 0;
}

static int check_clock_period(const struct event_plan *plan, uint64_t period_ns, struct err *err)
{
	bool clock = false;

	for (size_t i = 0; i < plan->sampled_count; i++)
		clock |= plan->sampled[i].is_time;
	if (!clock || period_ns >= CLOCK_PERIOD_MIN_NS)
		return 0;
	return err_set(err, -EINVAL, "the sampling period of a clock must be at least %u ns",
		       CLOCK_PERIOD_MIN_NS);
}

static int check_rate(const struct event_plan *plan, const struct capture_options *options,
		      struct err *err)
{
	int64_t most;

	if (options->period)
		return check_clock_period(plan, options->period, err);
	if (small_file_number("/proc/sys/kernel/perf_event_max_sample_rate", &most) == 0 &&
	    options->frequency_hz > (uint64_t)most)
		return err_set(err, -EINVAL,
			       "a rate of %" PRIu64 " Hz is above this machine's limit of "
			       "%" PRId64 " Hz; to raise the limit, run: sysctl -w "
			       "kernel.perf_event_max_sample_rate=%" PRIu64,
			       options->frequency_hz, most, options->frequency_hz);
	return check_clock_period(plan, NS_PER_SEC / options->frequency_hz, err);
}

/*
 * Sets the period or the frequency of the event. If the user set a period (-c), every event uses
 * it. Otherwise:
 *
 * - A clock gets a fixed period, so that the phase of its ticks is constant.
 * - A tracepoint or breakpoint samples every hit.
 * - Any other event gets a frequency.
 */
static void set_rate(struct event_spec *spec, const struct capture_options *options)
{
	struct perf_event_attr *attr = &spec->attr;

	if (options->period) {
		attr->sample_period = options->period;
	} else if (spec->is_time) {
		attr->sample_period = NS_PER_SEC / options->frequency_hz;
	} else if (attr->type == PERF_TYPE_TRACEPOINT || attr->type == PERF_TYPE_BREAKPOINT) {
		attr->sample_period = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = options->frequency_hz;
	}
}

/*
 * Leaves the period out of the records if the user has set a period above 1. If records contained
 * the period, the kernel would sample every hit of a software event or tracepoint, whatever the
 * period is (kernel/events/core.c: perf_swevent_event()).
 */
static uint64_t sample_fields(const struct capture_options *options)
{
	return options->period > 1 ? SAMPLE_FIELDS & ~(uint64_t)PERF_SAMPLE_PERIOD : SAMPLE_FIELDS;
}

static const uint64_t field_bits[FIELD_COUNT] = {
	[FIELD_DATA_ADDRESS] = PERF_SAMPLE_ADDR,
	[FIELD_DATA_SOURCE] = PERF_SAMPLE_DATA_SRC,
	[FIELD_LATENCY] = PERF_SAMPLE_WEIGHT,
};

/* Events of which the kernel itself knows the address, but nothing else. */
static bool is_kernel_access(const struct perf_event_attr *attr)
{
	static const uint64_t faults = 1u << PERF_COUNT_SW_PAGE_FAULTS |
				       1u << PERF_COUNT_SW_PAGE_FAULTS_MIN |
				       1u << PERF_COUNT_SW_PAGE_FAULTS_MAJ |
				       1u << PERF_COUNT_SW_ALIGNMENT_FAULTS |
				       1u << PERF_COUNT_SW_EMULATION_FAULTS;

	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->config < PERF_COUNT_SW_MAX && faults >> attr->config & 1;
	return attr->type == PERF_TYPE_BREAKPOINT;
}

/*
 * Chooses the fields of samples. The kernel opens any event with any field, even if it never sets
 * it. So refuses events that have none: others than faults, breakpoints, precise events, and events
 * of units that have a type of their own (such as ibs_op).
 */
static int choose_fields(struct event_plan *plan, struct err *err)
{
	bool has_all = false;

	for (size_t i = 0; i < plan->sampled_count; i++) {
		const struct perf_event_attr *attr = &plan->sampled[i].attr;

		if (is_kernel_access(attr))
			continue;
		if (!attr->precise_ip && attr->type < PERF_TYPE_MAX)
			return err_set(
				err, -EINVAL,
				"samples of %s have no data addresses; those of page-faults, "
				"breakpoints (mem:ADDRESS) and precise events (EVENT:p) do",
				plan->sampled[i].name);
		has_all = true;
	}
	plan->fields[plan->field_count++] = FIELD_DATA_ADDRESS;
	if (!has_all)
		return 0;
	plan->fields[plan->field_count++] = FIELD_DATA_SOURCE;
	plan->fields[plan->field_count++] = FIELD_LATENCY;
	return 0;
}

static void set_attr(struct event_plan *plan, struct event_spec *spec,
		     const struct capture_options *options)
{
	struct perf_event_attr *attr = &spec->attr;

	set_rate(spec, options);
	attr->sample_type = sample_fields(options);
	attr->read_format = PERF_FORMAT_LOST;
	if (plan->counter_count) {
		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format |= PERF_FORMAT_GROUP;
	}
	for (size_t i = 0; i < plan->field_count; i++)
		attr->sample_type |= field_bits[plan->fields[i]];
	attr->sample_id_all = 1;
	attr->disabled = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	attr->wakeup_watermark = (uint32_t)(plan->sample_ring_bytes / WATERMARK_SHARE);
	attr->exclude_callchain_user = plan->stack_bytes || options->callgraph == CALLGRAPH_NONE;
	if (plan->stack_bytes) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = stack_walk_registers();
		attr->sample_stack_user = plan->stack_bytes;
	}
	attr->inherit = plan->per_task;
	attr->enable_on_exec = plan->per_task && options->target == TARGET_COMMAND &&
			       !options->start_disabled;
	/*
	 * If CPU-wide events are used but only some tasks are targets, exclude the idle task. It is
	 * never a target, but on a large idle machine it would get most of the samples.
	 */
	attr->exclude_idle = spec->not_idle ||
			     (!plan->per_task && options->target != TARGET_SYSTEM);
	if (plan->user_only) {
		attr->exclude_kernel = 1;
		attr->exclude_callchain_kernel = 1;
	}
}

/*
 * Changes the plan for the in-kernel sampler. Precise events still record a callchain: without one,
 * the kernel does not let a BPF program read the stack of a precise event.
 */
void event_plan_go_in_kernel(struct event_plan *plan)
{
	plan->in_kernel = true;
	for (size_t i = 0; i < plan->sampled_count; i++) {
		struct perf_event_attr *attr = &plan->sampled[i].attr;

		attr->sample_type = attr->precise_ip ? PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN
						     : PERF_SAMPLE_IP;
		attr->exclude_callchain_user = 0;
		attr->read_format = 0;
	}
}

static void set_sideband(struct event_plan *plan)
{
	plan->sideband = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = SIDEBAND_FIELDS,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_LOST,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(plan->sideband_ring_bytes / WATERMARK_SHARE),
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = !plan->per_task,
		.bpf_event = !plan->per_task,
		.inherit = plan->per_task,
		.exclude_kernel = plan->per_task,
	};
}

/*
 * Returns the size of the ring of one CPU. RLIMIT_MEMLOCK is what a user without privilege may lock
 * in addition to perf_event_mlock_kb. Copies of stacks fill a ring quickly, so their rings share
 * this memory.
 */
static size_t unprivileged_ring_bytes(const struct event_plan *plan)
{
	size_t bytes = UNPRIVILEGED_SAMPLE_BYTES;
	struct rlimit limit;

	if (!plan->stack_bytes || getrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return bytes;
	while (2 * bytes <= STACK_RING_BYTES &&
	       (2 * bytes - UNPRIVILEGED_SAMPLE_BYTES) * plan->cpu_count <= limit.rlim_cur)
		bytes *= 2;
	return bytes;
}

/* Returns the size of the ring of one CPU for copies of stacks, with privilege. */
static size_t stack_ring_bytes(const struct event_plan *plan, const struct capture_options *options)
{
	size_t bytes = STACK_RING_BYTES;

	while (options->memory.rings_bytes && bytes > RING_BYTES &&
	       bytes * plan->cpu_count > options->memory.rings_bytes)
		bytes /= 2;
	return bytes;
}

static size_t sample_ring_bytes(const struct event_plan *plan,
				const struct capture_options *options)
{
	if (options->sample_ring_bytes)
		return options->sample_ring_bytes;
	if (plan->has_small_rings)
		return unprivileged_ring_bytes(plan);
	return plan->stack_bytes ? stack_ring_bytes(plan, options) : RING_BYTES;
}

/* Returns how many bytes of the stack to copy with each sample. */
static uint32_t stack_bytes(const struct event_plan *plan, const struct capture_options *options)
{
	if (options->callgraph == CALLGRAPH_DWARF)
		return options->stack_bytes;
	return options->callgraph == CALLGRAPH_BEST && plan->per_task ? UNPRIVILEGED_STACK_BYTES
								      : 0;
}

static void set_attrs(struct event_plan *plan, const struct capture_options *options)
{
	plan->stack_bytes = stack_bytes(plan, options);
	plan->has_small_rings = plan->per_task || !system_may_lock((uint64_t)plan->cpu_count *
								   (RING_BYTES + SIDEBAND_BYTES));
	plan->sample_ring_bytes = sample_ring_bytes(plan, options);
	plan->sideband_ring_bytes = options->sideband_ring_bytes ? options->sideband_ring_bytes
				    : plan->has_small_rings	 ? UNPRIVILEGED_SIDEBAND_BYTES
								 : SIDEBAND_BYTES;
	for (size_t i = 0; i < plan->sampled_count; i++)
		set_attr(plan, &plan->sampled[i], options);
	for (size_t i = 0; i < plan->counter_count; i++) {
		/*
		 * Counters join the group of a sampled event, and all events of a group must have
		 * the same clock and scope.
		 */
		plan->counters[i].attr.use_clockid = 1;
		plan->counters[i].attr.clockid = CLOCK_MONOTONIC;
		plan->counters[i].attr.inherit = plan->per_task;
		plan->counters[i].attr.exclude_kernel |= plan->user_only;
	}
	set_sideband(plan);
}

static int add_tid(struct event_plan *plan, uint32_t tid)
{
	uint32_t *slot = vec_push(&plan->tids);

	if (!slot)
		return -ENOMEM;
	*slot = tid;
	return 0;
}

static int add_visited(void *context, uint32_t tid)
{
	return add_tid(context, tid);
}

static int add_threads(struct event_plan *plan, uint32_t tgid, struct err *err)
{
	int rc = proc_each_id(tgid, add_visited, plan);

	return rc == -ENOMEM ? rc : rc < 0 ? err_set(err, -ESRCH, "no such process: %u", tgid) : 0;
}

static int list_tids(struct event_plan *plan, const struct capture_options *options,
		     struct err *err)
{
	if (options->target == TARGET_COMMAND)
		return add_tid(plan, options->command_tgid);
	for (size_t i = 0; i < options->id_count; i++) {
		int rc = options->target == TARGET_PROCESSES
				 ? add_threads(plan, options->ids[i], err)
				 : add_tid(plan, options->ids[i]);

		if (rc < 0)
			return rc;
	}
	if (!plan->tids.count)
		return err_set(err, -ESRCH, "none of the processes exists any more");
	return 0;
}

/*
 * Checks whether the kernel accepts the first event as planned, by opening it on @cpu. Returns 0 or
 * the error of perf_open().
 */
static int try_first_on(struct event_plan *plan, int cpu)
{
	struct perf_event_attr attr = plan->sampled[0].attr;
	_cleanup_close_ int fd = -1;
	struct perf_place place = {
		.pid = plan->per_task ? (pid_t)plan->tids.at[0] : -1,
		.cpu = cpu,
		.group_fd = -1,
	};

	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	if (plan->cgroup_fd >= 0) {
		place.pid = plan->cgroup_fd;
		place.flags = PERF_FLAG_PID_CGROUP;
	}
	fd = perf_open(&attr, &place, &plan->features);
	return fd < 0 ? fd : 0;
}

static bool is_refusal(int rc)
{
	return rc == -EACCES || rc == -EPERM;
}

/*
 * Returns true if an event counts only kernel code. Such an event would count nothing if the kernel
 * were excluded.
 */
static bool wants_kernel_alone(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->sampled_count; i++)
		if (plan->sampled[i].attr.exclude_user)
			return true;
	return false;
}

static bool is_wide(const struct capture_options *options)
{
	return options->target == TARGET_SYSTEM || options->target == TARGET_CGROUP ||
	       options->target == TARGET_USER || options->name_count;
}

/*
 * Tries to open the first event in up to three scopes, from the widest to the narrowest: all tasks
 * of a CPU, then only the target tasks, then only user mode of the target tasks. Returns 0, or the
 * error of perf_open() for the last scope that was tried.
 */
static int try_scopes(struct event_plan *plan, const struct capture_options *options,
		      const struct cpus *online)
{
	bool wide = is_wide(options);
	int rc;

	plan->user_only = false;
	plan->per_task = !wide && plan->counter_count > 0;
	set_attrs(plan, options);
	rc = try_first_on(plan, online->at[0]);
	if (is_refusal(rc) && !wide && !plan->per_task) {
		plan->per_task = true;
		set_attrs(plan, options);
		rc = try_first_on(plan, online->at[0]);
	}
	if (is_refusal(rc) && plan->per_task && !wants_kernel_alone(plan)) {
		plan->user_only = true;
		set_attrs(plan, options);
		rc = try_first_on(plan, online->at[0]);
	}
	return rc;
}

static int settle_scope(struct event_plan *plan, const struct capture_options *options,
			const struct cpus *online, struct err *err)
{
	int rc = try_scopes(plan, options, online);

	return rc < 0 ? perf_explain(err, rc, &plan->sampled[0], !plan->per_task) : 0;
}

struct choosing {
	struct event_plan *plan;
	const struct capture_options *options;
	const struct cpus *online;
};

/* Tries @spec on every CPU, because on a hybrid machine only some CPUs may be able to count it. */
static int try_default(void *context, const struct event_spec *spec)
{
	struct choosing *choosing = context;
	struct event_plan *plan = choosing->plan;
	int rc;

	plan->sampled[0] = *spec;
	rc = try_scopes(plan, choosing->options, choosing->online);
	if (rc < 0 || plan->per_task)
		return rc;
	for (size_t i = 1; i < choosing->online->count; i++) {
		rc = try_first_on(plan, choosing->online->at[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Chooses the event if the user named none. */
static int choose_event(struct event_plan *plan, const struct capture_options *options,
			const struct cpus *online)
{
	struct choosing choosing = { plan, options, online };
	struct event_choice choice;
	int rc;

	plan->sampled_count = 1;
	rc = event_choose(options->off_cpu, try_default, &choosing, &choice);
	if (rc < 0)
		return rc;
	plan->sampled[0] = choice.spec;
	memcpy(plan->event_why, choice.why, sizeof(plan->event_why));
	return 0;
}

int event_plan_make(struct event_plan *plan, const struct capture_options *options, struct err *err)
{
	_cleanup_(cpus_fini) struct cpus online = VEC_INIT;
	int rc;

	*plan = (struct event_plan){ .cgroup_fd = -1, .by_rate = options->period == 0 };
	rc = cpus_online(&online, err);
	if (rc < 0)
		return rc;
	plan->cpu_count = online.count;
	rc = parse_events(plan, options, err);
	if (rc < 0)
		return rc;
	if (options->target == TARGET_CGROUP) {
		plan->cgroup_fd = cgroup_dir_open(options->cgroup, err);
		if (plan->cgroup_fd < 0)
			return plan->cgroup_fd;
	}
	if (!is_wide(options)) {
		rc = list_tids(plan, options, err);
		if (rc < 0)
			return rc;
	}
	if (!options->events) {
		rc = choose_event(plan, options, &online);
		if (rc < 0)
			return rc;
	}
	rc = check_rate(plan, options, err);
	if (rc == 0 && options->data_addresses)
		rc = choose_fields(plan, err);
	if (rc < 0)
		return rc;
	return settle_scope(plan, options, &online, err);
}

void event_plan_fini(struct event_plan *plan)
{
	vec_free(&plan->tids);
	if (plan->cgroup_fd >= 0)
		(void)close(plan->cgroup_fd);
}
