/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_collector.c - the in-kernel sampler as part of a capture
 *
 * Tells the sampler (bpf_sampler.h) which processes it may unwind, and gives it the mappings and
 * unwind tables of these processes (unwind_spaces.h). The collector does so only for processes and
 * images that were sampled:
 *
 * - The first sample of a process is raw: it contains a copy of the stack memory. The collector
 *   unwinds the copy in user space. While it does so, it builds the unwind tables of the images
 *   that have frames on the stack.
 * - After the drain, the collector gives the mappings of the process and those tables to the
 *   sampler. From then on, the sampler unwinds the process inside the kernel.
 * - If an unwind inside the kernel reaches an image without a table, or an address outside all
 *   known mappings, the sample is raw again.
 *
 * So an image costs time and memory only if its code runs, and a process can be sampled as soon as
 * it exists.
 *
 * Not thread-safe.
 */
#include "capture/collector.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "process/cgroup_names.h"
#include "intake/image_tables.h"
#include "sampler/bpf_sampler.h"
#include "sampler/kernel_lacks.h"
#include "sampler/tick_account.h"
#include "sampler/unwind_spaces.h"

#define NOWHERE_MAX 8	/* maximum of live_process.nowhere_count */
/* bpf_feed() compares wanted and exited processes only if at least this many are wanted */
#define FEW_WANTED 4

struct candidate {
	uint32_t tgid;
	bool lives;			/* true: the process still exists after the drain */
	size_t first, count;		/* the process's range in the collector's `mappings` */
};

struct bpf_collector {
	struct collector collector;
	struct collector_parts parts;
	struct bpf_sampler *sampler;
	struct unwind_spaces *spaces;
	struct cgroup_names cgroups;
	VEC(struct candidate) wanted;	/* processes to give to the sampler after the drain */
	/* set of the tgids in `wanted`, to find duplicates; each value is 1 */
	struct u64map is_wanted;
	VEC(struct unwind_mapping) mappings;	/* mappings of all wanted processes */
	/* maximum so far of the total size of all unwind tables in the kernel */
	size_t table_bytes_max;
	struct tick_account *ticks;
	uint64_t points;		/* bit mask of the events that are tracepoints */
};

static struct bpf_collector *bpf(struct collector *base)
{
	return (struct bpf_collector *)base;
}

/* ---- events and rings ---- */

static int bpf_attach(struct collector *base, const struct collector_cpu *cpu, struct err *err)
{
	struct bpf_sampler *sampler = bpf(base)->sampler;
	const struct cpus cpus = { .at = (int[]){ (int)cpu->cpu }, .count = 1 };
	int rc = bpf_sampler_add_rings(sampler, &cpus, err);

	cpu->samples->ops = &sampler_stream_ops;
	if (rc < 0)
		return rc;
	rc = bpf_ring_map(&cpu->samples->bpf_ring, bpf_sampler_ring_fd(sampler, (int)cpu->cpu),
			  bpf_sampler_ring_bytes(sampler), err);
	if (rc < 0)
		return rc;
	for (size_t event = 0; event < cpu->event_count; event++) {
		if (cpu->event_fds[event] < 0)
			continue;
		rc = bpf_sampler_attach(sampler, cpu->event_fds[event], (uint32_t)event, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int bpf_poll_fd(const struct collector *base, const struct collector_cpu *cpu)
{
	return bpf_sampler_ring_fd(((const struct bpf_collector *)base)->sampler, (int)cpu->cpu);
}

static int bpf_add_target(struct collector *base, uint32_t tgid)
{
	return bpf_sampler_add_target(bpf(base)->sampler, tgid);
}

static int bpf_start(struct collector *base, struct err *err)
{
	struct bpf_collector *collector = bpf(base);
	bool off_cpu = bpf_sampler_options(collector->sampler)->off_cpu;
	int rc = off_cpu ? bpf_sampler_start_waits(collector->sampler, err) : 0;

	if (rc < 0)
		return rc;
	bpf_sampler_enable_points(collector->sampler, true);
	return 0;
}

static void bpf_stop(struct collector *base)
{
	struct bpf_sampler *sampler = bpf(base)->sampler;
	const struct bpf_sampler_options *options = bpf_sampler_options(sampler);

	if (options->points)
		bpf_sampler_enable_points(sampler, false);
	if (options->off_cpu)
		(void)bpf_sampler_close_waits(sampler, NULL);
}

static void bpf_set_period(struct collector *base, uint32_t event, uint64_t period_ns)
{
	bpf_sampler_set_period(bpf(base)->sampler, event, period_ns);
}

/*
 * Opens a perf event for a tracepoint, so that the caller can attach the sampler to it. The event
 * itself stays disabled.
 */
static int open_point(const struct event_spec *spec, int cpu)
{
	struct perf_event_attr attr = {
		.type = spec->attr.type,
		.config = spec->attr.config,
		.sample_period = 1,
		.disabled = 1,
	};
	struct perf_place place = { .pid = -1, .cpu = cpu, .group_fd = -1 };
	struct perf_features features = { 0 };

	return perf_open(&attr, &place, &features);
}

static int attach_point(struct bpf_collector *collector, const struct event_spec *spec,
			uint32_t event, int cpu, struct err *err)
{
	const struct wire_point point = {
		.period = spec->attr.sample_period,
		.in_user = strncmp(spec->name, "syscalls:", strlen("syscalls:")) == 0,
	};
	_cleanup_close_ int fd = -1;

	collector->points |= 1ull << event;
	/*
	 * The user excluded the kernel, but every hit of this tracepoint is in the kernel, so
	 * nothing is sampled.
	 */
	if (spec->attr.exclude_kernel && !point.in_user)
		return 0;
	fd = open_point(spec, cpu);
	if (fd < 0)
		return perf_explain(err, fd, spec, true);
	return bpf_sampler_attach_point(collector->sampler, fd, event, &point, err) < 0
		       ? err_prefix(err, "event '%s'", spec->name)
		       : 0;
}

static int attach_points(struct bpf_collector *collector, const struct event_plan *plan,
			 struct err *err)
{
	_cleanup_(cpus_fini) struct cpus online = VEC_INIT;
	int rc = cpus_online(&online, err);

	if (rc < 0)
		return rc;
	for (size_t event = 0; event < plan->sampled_count; event++) {
		if (!event_plan_is_point(plan, event))
			continue;
		rc = attach_point(collector, &plan->sampled[event], (uint32_t)event, online.at[0],
				  err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- processes that the sampler can unwind ---- */

static void heard(void *context, uint32_t tgid, const struct record_owner *owner)
{
	struct bpf_collector *collector = context;

	/*
	 * If the process is in a pid namespace below the first one, the tracker must read the uid
	 * and the cgroup from /proc: only /proc shows the ids that the process has inside that
	 * namespace.
	 */
	if (!owner->in_namespace)
		tracker_tell_owner(collector->parts.tracker, tgid, owner->uid,
				   cgroup_names_find(&collector->cgroups, owner->cgroup_id));
}

static void want(struct bpf_collector *collector, uint32_t tgid)
{
	struct candidate *slot;
	uint32_t known;

	if (u64map_get(&collector->is_wanted, tgid, &known))
		return;
	slot = vec_push(&collector->wanted);
	if (!slot || u64map_put(&collector->is_wanted, tgid, 1) < 0)
		loss_add(&collector->parts.model->losses, LOSS_MEMORY, 1);
	if (slot)
		slot->tgid = tgid;
}

/*
 * Returns true if the mappings of the process have not changed since the sampler received them, and
 * no unwind table was built for any of them since then. If so, stores the number of tables built so
 * far, so that the next call checks only tables that are built later.
 */
static bool is_current(const struct bpf_collector *collector, struct live_process *process)
{
	const struct image_tables *tables = collector->parts.tables;
	const struct address_space *space = process->space;

	if (process->walked_stamp != tracker_space_stamp(process) ||
	    (space && image_tables_made_since(tables, process->walked_tables, space->mappings.at,
					      space->mappings.count)))
		return false;
	process->walked_tables = image_tables_made(tables);
	return true;
}

static void set_current(const struct bpf_collector *collector, struct live_process *process)
{
	process->walked_stamp = tracker_space_stamp(process);
	process->walked_tables = image_tables_made(collector->parts.tables);
}

/*
 * Returns true if the last unwind reached an address without a mapping or table, and giving the
 * process to the sampler again would not help. It would not help in two cases: the sampler already
 * has the current data of the process, or NOWHERE_MAX successive samples ended this way.
 */
static bool has_settled(const struct bpf_collector *collector, struct live_process *process)
{
	if (!chains_led_nowhere(collector->parts.chains)) {
		process->nowhere_count = 0;
		return false;
	}
	return is_current(collector, process) || ++process->nowhere_count >= NOWHERE_MAX;
}

static void saw(void *context, struct live_process *process, const struct perf_record *record)
{
	struct bpf_collector *collector = context;
	const struct record_sample *sample = &record->sample;
	bool is_remapped = process->walked_stamp != tracker_space_stamp(process);
	bool is_raw = sample->walk_hash == 0;

	if (!sample->has_user || process->kernel_thread)
		return;
	if (is_raw && !is_remapped && has_settled(collector, process) &&
	    unwind_spaces_settle(collector->spaces, process->tgid, sample->code_pages))
		return;
	if (is_raw || is_remapped)
		want(collector, process->tgid);
	else
		unwind_spaces_touch(collector->spaces, process->tgid);
}

static void missed(void *context, struct live_process *process, const struct record_stack *stack,
		   uint64_t time_ns)
{
	struct bpf_collector *collector = context;
	bool is_short = stack->stop == UNWIND_STOP_NO_ROW || stack->stop == UNWIND_STOP_NO_IMAGE;
	const struct live_mapping *mapping;
	bool over_budget;

	if (!is_short || stack->user_count == 0 || process->kernel_thread)
		return;
	mapping = tracker_mapping_of_caller(collector->parts.tracker, process,
					    stack->user[stack->user_count - 1] -
						    (stack->user_count > 1),
					    time_ns, &over_budget);
	if (mapping)
		(void)image_tables_get(collector->parts.tables, mapping->pin);
	if (!is_current(collector, process))
		want(collector, process->tgid);
}

static void left(void *context, uint32_t tgid)
{
	struct bpf_collector *collector = context;

	unwind_spaces_remove(collector->spaces, tgid);
}

static int add_mapping(struct bpf_collector *collector, const struct live_mapping *mapping)
{
	struct unwind_mapping *slot = vec_push(&collector->mappings);

	if (!slot)
		return -ENOMEM;
	*slot = (struct unwind_mapping){
		.start_addr = mapping->start_addr,
		.end_addr = mapping->end_addr,
	};
	slot->later = !image_tables_find(collector->parts.tables, mapping->pin, &slot->table);
	if (slot->table)
		slot->bias = pins_bias(collector->parts.pins, mapping->pin, mapping->start_addr,
				       mapping->offset);
	return 0;
}

/*
 * Collects the current mappings of the process for the sampler. The sampler can unwind the process
 * only if the collector knows the number of the process's life (one program run by one process,
 * bpf/wire.h). If the number is not known, removes the process from the sampler. The next sample of
 * the process is then raw, and raw samples contain the number. The number of a forked child can be
 * unknown, because the sampler unwinds the child with its parent's mappings until the child changes
 * its mappings.
 */
static int look_at(struct bpf_collector *collector, struct candidate *candidate)
{
	struct live_process *process = tracker_process(collector->parts.tracker, candidate->tgid);
	const struct address_space *space = process ? process->space : NULL;

	candidate->lives = process != NULL;
	if (!space || !process->maps_known)
		return 0;
	process->walked_stamp = 0;
	if (!process->life)
		(void)bpf_sampler_remove_process(collector->sampler, process->tgid);
	candidate->first = collector->mappings.count;
	candidate->count = process->life ? space->mappings.count : 0;
	/*
	 * the mappings of a space are sorted by falling address, but the sampler needs rising
	 * addresses
	 */
	for (size_t i = candidate->count; i-- > 0;)
		if (add_mapping(collector, &space->mappings.at[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int enter(struct bpf_collector *collector, const struct candidate *candidate,
		 struct err *err)
{
	struct live_process *process;
	int rc;

	if (candidate->count == 0)
		return 0;
	process = tracker_process(collector->parts.tracker, candidate->tgid);
	rc = unwind_spaces_set(collector->spaces, candidate->tgid, process->life,
			       collector->mappings.at + candidate->first, candidate->count, err);
	if (rc < 0)
		return rc == -E2BIG ? 0 : rc;
	set_current(collector, process);
	return 0;
}

static size_t largest_table_bytes(const struct bpf_collector *collector)
{
	struct unwind_spaces_stats stats;

	unwind_spaces_get_stats(collector->spaces, &stats);
	return stats.table_bytes > collector->table_bytes_max ? stats.table_bytes
							      : collector->table_bytes_max;
}

static int enter_each(struct bpf_collector *collector, size_t *ret_living, struct err *err)
{
	int rc;

	*ret_living = 0;
	for (size_t i = 0; i < collector->wanted.count; i++) {
		rc = look_at(collector, &collector->wanted.at[i]);
		*ret_living += collector->wanted.at[i].lives;
		if (rc < 0)
			return rc;
	}
	rc = unwind_spaces_load(collector->spaces, collector->mappings.at,
				collector->mappings.count, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < collector->wanted.count; i++) {
		rc = enter(collector, &collector->wanted.at[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int enter_wanted(struct bpf_collector *collector, size_t *ret_living, struct err *err)
{
	int rc = enter_each(collector, ret_living, err);

	collector->table_bytes_max = largest_table_bytes(collector);
	vec_clear(&collector->wanted);
	vec_clear(&collector->mappings);
	u64map_fini(&collector->is_wanted);
	return rc;
}

static bool bpf_feed(struct collector *base)
{
	struct bpf_collector *collector = bpf(base);
	struct sent_stacks *sent = chains_sent_stacks(collector->parts.chains);
	size_t wanted = collector->wanted.count, living = 0;
	struct err err = { 0 };

	if (wanted > 0 && enter_wanted(collector, &living, &err) < 0)
		model_fact_set(collector->parts.model, FACT_SAMPLER_TROUBLE, "%s",
			       err.code ? err.text : "out of memory");
	if (sent_stacks_are_many(sent))
		sent->epoch_ns = bpf_sampler_forget_stacks(collector->sampler);
	return wanted < FEW_WANTED || living * 4 > wanted;
}

/* ---- accounting for ticks ---- */

static void state_tables(const struct bpf_collector *collector)
{
	struct model *model = collector->parts.model;
	struct unwind_spaces_stats stats;

	unwind_spaces_get_stats(collector->spaces, &stats);
	model_fact_set_u64(model, FACT_TABLE_BYTES_MAX, collector->table_bytes_max);
	model_fact_set_u64(model, FACT_TABLES_EVICTED, stats.tables_evicted);
	model_fact_set_u64(model, FACT_PROCESSES_EVICTED, stats.processes_evicted);
	model_fact_set_u64(model, FACT_PROCESSES_REFUSED, stats.processes_refused);
}

static void bpf_account(struct collector *base, size_t event_count, bool is_final,
			struct losses *losses)
{
	struct bpf_collector *collector = bpf(base);

	state_tables(collector);
	tick_account_take(collector->ticks, event_count, collector->points, is_final, losses);
	losses->count[LOSS_POINT_MISSED] = bpf_sampler_points_missed(collector->sampler);
	losses->count[LOSS_CHILDREN] = bpf_sampler_children_lost(collector->sampler);
}

/* ---- creation ---- */

static void drop_table(void *context, const struct unwind_table *table)
{
	struct bpf_collector *collector = context;

	unwind_spaces_drop_table(collector->spaces, table);
}

static void idle_code(const struct kernel_text *text, struct bpf_sampler_options *options)
{
	for (size_t i = 0; i < text->ranges.count; i++) {
		if (text->ranges.at[i].kind != TEXT_CPUIDLE)
			continue;
		options->idle_start_addr = text->ranges.at[i].start_addr;
		options->idle_end_addr = text->ranges.at[i].end_addr;
		return;
	}
}

/*
 * Selects the clocks whose timers the sampler watches, to count ticks that produced no sample.
 * Clocks that sample only user mode or only kernel mode are left out: their ticks in the other mode
 * never reach the sampler, and these ticks are not losses.
 */
static void choose_clocks(const struct event_plan *plan, struct bpf_sampler_options *options)
{
	for (size_t i = 0; i < plan->sampled_count; i++) {
		const struct perf_event_attr *attr = &plan->sampled[i].attr;

		if (!event_plan_has_ticks(plan, i) || attr->exclude_kernel || attr->exclude_user)
			continue;
		options->clock_events |= 1u << i;
		if (attr->exclude_idle)
			options->clocks_leave_idle |= 1u << i;
	}
}

/* Returns 0 if the rate does not follow from the options. */
static uint64_t rate_of(const struct event_plan *plan, const struct capture_options *options)
{
	return options->off_cpu || event_plan_has_points(plan)
		       ? 0
		       : options->frequency_hz * plan->sampled_count;
}

static struct bpf_sampler_options sampler_options(const struct collector_parts *parts,
						  const struct capture_options *options)
{
	const struct event_plan *plan = parts->plan;
	struct bpf_sampler_options sampler = {
		.ring_bytes = options->sample_ring_bytes,
		.rings_bytes = options->memory.rings_bytes,
		.processes_max = options->memory.processes_max,
		.mappings_max = options->memory.mappings_max,
		.rules_max = options->memory.rules_max,
		.rate_hz = rate_of(plan, options),
		.only_targets = !collector_has_no_list(options->target),
		.leave_out_self = options->leave_out_self,
		.only_user = options->target == TARGET_USER,
		.uid = options->uid,
		.points = event_plan_has_points(plan),
		.off_cpu = options->off_cpu,
		.off_cpu_wakers = options->off_cpu_wakers,
		.off_cpu_min_ns = options->off_cpu_min_ns,
		.no_user_stacks = options->callgraph == CALLGRAPH_NONE,
		.cgroup_fd = -1,
	};

	/*
	 * perf's own events are already limited to the control group. Tracepoints and waits are
	 * not, so the in-kernel sampler must check the control group of each task.
	 */
	if (sampler.points || options->off_cpu)
		sampler.cgroup_fd = plan->cgroup_fd;
	idle_code(parts->kernel_text, &sampler);
	choose_clocks(plan, &sampler);
	return sampler;
}

static int fill(struct bpf_collector *collector, const struct capture_options *options,
		struct err *err)
{
	const struct collector_parts *parts = &collector->parts;
	const struct bpf_sampler_options sampler = sampler_options(parts, options);
	int rc = bpf_sampler_new(&sampler, &collector->sampler, err);

	if (rc < 0)
		return rc;
	rc = unwind_spaces_new(collector->sampler, options->memory.table_bytes, &collector->spaces,
			       err);
	if (rc < 0)
		return rc;
	rc = tick_account_new(parts->model, collector->sampler, &collector->ticks, err);
	if (rc < 0)
		return rc;
	image_tables_tell(parts->tables, drop_table, collector);
	return attach_points(collector, parts->plan, err);
}

/*
 * Switches the plan and intake to the sampler. From now on, perf's events only trigger the sampler,
 * and intake reads the records that the sampler sends.
 */
static void take_over(struct bpf_collector *collector)
{
	const struct collector_parts *parts = &collector->parts;

	event_plan_go_in_kernel(parts->plan);
	chains_walk_stacks(parts->chains, parts->stack_walker);
	parts->intake->sampler_filters = bpf_sampler_filters(collector->sampler);
	parts->intake->listener = (struct intake_listener){
		.heard = heard,
		.saw = saw,
		.missed = missed,
		.left = left,
		.context = collector,
	};
}

static void bpf_free(struct collector *base)
{
	struct bpf_collector *collector = bpf(base);

	image_tables_tell(collector->parts.tables, NULL, NULL);
	unwind_spaces_free(collector->spaces);
	cgroup_names_fini(&collector->cgroups);
	bpf_sampler_free(collector->sampler);
	vec_free(&collector->wanted);
	u64map_fini(&collector->is_wanted);
	vec_free(&collector->mappings);
	tick_account_free(collector->ticks);
	free(collector);
}

static int bpf_ticks_fd(const struct collector *base)
{
	return bpf_sampler_counters_fd(((const struct bpf_collector *)base)->sampler);
}

static uint32_t bpf_kernel_uses(const struct collector *base)
{
	const struct bpf_sampler *sampler = ((const struct bpf_collector *)base)->sampler;
	const struct bpf_sampler_options *options = bpf_sampler_options(sampler);
	uint32_t uses = 1u << KERNEL_USE_SAMPLES;

	if (!options->no_user_stacks)
		uses |= 1u << KERNEL_USE_STACKS;
	if (options->off_cpu)
		uses |= 1u << KERNEL_USE_WAITS;
	if (options->off_cpu && options->only_user)
		uses |= 1u << KERNEL_USE_USER_WAITS;
	if (options->clock_events)
		uses |= 1u << KERNEL_USE_CLOCKS;
	return uses;
}

static const struct collector_ops bpf_ops = {
	.name = "bpf",
	.callgraph = "tables",
	.how = "; sampled inside the kernel",
	.free = bpf_free,
	.attach = bpf_attach,
	.poll_fd = bpf_poll_fd,
	.add_target = bpf_add_target,
	.start = bpf_start,
	.stop = bpf_stop,
	.set_period = bpf_set_period,
	.kernel_uses = bpf_kernel_uses,
	.ticks_fd = bpf_ticks_fd,
	.feed = bpf_feed,
	.account = bpf_account,
};

int bpf_collector_new(const struct collector_parts *parts, const struct capture_options *options,
		      struct collector **ret_collector, struct err *err)
{
	struct bpf_collector *collector = calloc(1, sizeof(*collector));
	int rc;

	if (!collector)
		return err_sys(err, -ENOMEM, "cannot sample inside the kernel");
	collector->collector.ops = &bpf_ops;
	collector->parts = *parts;
	cgroup_names_init(&collector->cgroups, parts->model);
	rc = fill(collector, options, err);
	if (rc < 0) {
		bpf_free(&collector->collector);
		return rc;
	}
	take_over(collector);
	*ret_collector = &collector->collector;
	return 0;
}
