/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/bpf_collector.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "capture/cgroup_names.h"
#include "capture/tick_account.h"

#define NOWHERE_MAX 8	/* samples that led nowhere, in succession */
#define FEW_WANTED 4	/* who came raw; of fewer nothing can be told */

struct candidate {
	uint32_t tgid;
	bool lives;			/* when the drain is over */
	size_t first, count;		/* of the collector's mappings */
};

struct bpf_collector {
	struct bpf_collector_parts parts;
	struct bpf_sampler *sampler;
	struct unwind_spaces *spaces;
	struct cgroup_names cgroups;
	VEC(struct candidate) wanted;	/* to be entered after the drain */
	struct u64map is_wanted;	/* the same: tgid -> 1 */
	VEC(struct unwind_mapping) mappings;	/* of all of them */
	size_t table_bytes_max;		/* of tables in the kernel, at any time */
	struct tick_account *ticks;
	uint64_t points;		/* events that are tracepoints: 1 << event */
};

/* ---- life ---- */

static void drop_table(void *context, const struct unwind_table *table)
{
	struct bpf_collector *collector = context;

	unwind_spaces_drop_table(collector->spaces, table);
}

static int fill(struct bpf_collector *collector, const struct bpf_sampler_options *options,
		size_t table_bytes, struct err *err)
{
	int rc = bpf_sampler_new(options, &collector->sampler, err);

	if (rc == 0)
		rc = unwind_spaces_new(collector->sampler, table_bytes, &collector->spaces, err);
	if (rc == 0)
		rc = tick_account_new(collector->parts.model, collector->sampler, &collector->ticks,
				      err);
	if (rc < 0)
		return rc;
	image_tables_tell(collector->parts.tables, drop_table, collector);
	return 0;
}

int bpf_collector_new(const struct bpf_collector_parts *parts,
		      const struct bpf_sampler_options *options, size_t table_bytes,
		      struct bpf_collector **ret_collector, struct err *err)
{
	struct bpf_collector *collector = calloc(1, sizeof(*collector));
	int rc;

	if (!collector)
		return err_sys(err, -ENOMEM, "cannot sample inside the kernel");
	collector->parts = *parts;
	cgroup_names_init(&collector->cgroups, parts->model);
	rc = fill(collector, options, table_bytes, err);
	if (rc < 0) {
		bpf_collector_free(collector);
		return rc;
	}
	*ret_collector = collector;
	return 0;
}

void bpf_collector_free(struct bpf_collector *collector)
{
	if (!collector)
		return;
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

struct bpf_sampler *bpf_collector_sampler(const struct bpf_collector *collector)
{
	return collector->sampler;
}

/* ---- events and rings ---- */

int bpf_collector_attach(struct bpf_collector *collector, struct source *source, struct err *err)
{
	struct bpf_sampler *sampler = collector->sampler;
	const struct cpus cpus = { .at = (int[]){ (int)source->cpu }, .count = 1 };
	int rc = bpf_sampler_add_rings(sampler, &cpus, err);

	if (rc == 0)
		rc = bpf_ring_map(&source->samples.bpf_ring,
				  bpf_sampler_ring_fd(sampler, (int)source->cpu),
				  bpf_sampler_ring_bytes(sampler), err);
	for (size_t event = 0; rc == 0 && event < source->sample_fds.count; event++)
		if (source->sample_fds.at[event] >= 0)
			rc = bpf_sampler_attach(sampler, source->sample_fds.at[event],
						(uint32_t)event, err);
	return rc;
}

/* An event to attach to, which never counts. */
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
	if (spec->attr.exclude_kernel && !point.in_user)	/* none of its hits counts */
		return 0;
	fd = open_point(spec, cpu);
	if (fd < 0)
		return perf_explain(err, fd, spec, true);
	return bpf_sampler_attach_point(collector->sampler, fd, event, &point, err) < 0
		       ? err_prefix(err, "event '%s'", spec->name)
		       : 0;
}

int bpf_collector_attach_points(struct bpf_collector *collector, const struct event_plan *plan,
				struct err *err)
{
	_cleanup_(cpus_fini) struct cpus online = VEC_INIT;
	int rc = cpus_online(&online, err);

	for (size_t event = 0; rc == 0 && event < plan->sampled_count; event++)
		if (event_plan_is_point(plan, event))
			rc = attach_point(collector, &plan->sampled[event], (uint32_t)event,
					  online.at[0], err);
	return rc;
}

/* ---- whom the sampler can walk ---- */

void bpf_collector_heard(struct bpf_collector *collector, uint32_t tgid,
			 const struct record_owner *owner)
{
	if (!owner->in_namespace)	/* else /proc must be asked for its other ids */
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
 * Is it walked with all that is known here of its mappings and their tables?  Those of others that
 * were made meanwhile are not looked at again.
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
 * Its stacks lead out of all mappings, and nothing is new since it was entered, or nothing that
 * helps, as far as so many tries can tell.
 */
static bool has_settled(const struct bpf_collector *collector, struct live_process *process)
{
	if (!chains_led_nowhere(collector->parts.chains)) {
		process->nowhere_count = 0;
		return false;
	}
	return is_current(collector, process) || ++process->nowhere_count >= NOWHERE_MAX;
}

void bpf_collector_saw(struct bpf_collector *collector, struct live_process *process,
		       const struct perf_record *record)
{
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

void bpf_collector_missed(struct bpf_collector *collector, struct live_process *process,
			  const struct record_stack *stack, uint64_t time_ns)
{
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

void bpf_collector_left(struct bpf_collector *collector, uint32_t tgid)
{
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
 * Notes the mappings that the process has now.  Whose life is not known (a child that is walked as
 * its parent was, until it mapped something) comes raw once, and is entered then.
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
	for (size_t i = candidate->count; i-- > 0;)	/* a space falls, a slice rises */
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
	if (rc == 0)
		set_current(collector, process);
	return rc == -E2BIG ? 0 : rc;
}

static size_t largest_table_bytes(const struct bpf_collector *collector)
{
	struct unwind_spaces_stats stats;

	unwind_spaces_get_stats(collector->spaces, &stats);
	return stats.table_bytes > collector->table_bytes_max ? stats.table_bytes
							      : collector->table_bytes_max;
}

static int enter_wanted(struct bpf_collector *collector, size_t *ret_living, struct err *err)
{
	int rc = 0;

	*ret_living = 0;
	for (size_t i = 0; rc == 0 && i < collector->wanted.count; i++) {
		rc = look_at(collector, &collector->wanted.at[i]);
		*ret_living += collector->wanted.at[i].lives;
	}
	if (rc == 0)
		rc = unwind_spaces_load(collector->spaces, collector->mappings.at,
					collector->mappings.count, err);
	for (size_t i = 0; rc == 0 && i < collector->wanted.count; i++)
		rc = enter(collector, &collector->wanted.at[i], err);
	collector->table_bytes_max = largest_table_bytes(collector);
	vec_clear(&collector->wanted);
	vec_clear(&collector->mappings);
	u64map_fini(&collector->is_wanted);
	return rc;
}

bool bpf_collector_feed(struct bpf_collector *collector)
{
	struct sent_stacks *sent = chains_sent_stacks(collector->parts.chains);
	size_t wanted = collector->wanted.count, living = 0;
	struct err err = { 0 };

	if (wanted > 0 && enter_wanted(collector, &living, &err) < 0)
		model_fact_set(collector->parts.model, "sampler_trouble", "%s",
			       err.code ? err.text : "out of memory");
	if (sent_stacks_are_many(sent))
		sent->epoch_ns = bpf_sampler_forget_stacks(collector->sampler);
	return wanted < FEW_WANTED || living * 4 > wanted;
}

/* ---- what became of the ticks ---- */

static void state_tables(const struct bpf_collector *collector)
{
	struct model *model = collector->parts.model;
	struct unwind_spaces_stats stats;

	unwind_spaces_get_stats(collector->spaces, &stats);
	model_fact_set(model, "table_bytes_max", "%zu", collector->table_bytes_max);
	model_fact_set(model, "tables_evicted", "%" PRIu64, stats.tables_evicted);
	model_fact_set(model, "processes_evicted", "%" PRIu64, stats.processes_evicted);
	model_fact_set(model, "processes_refused", "%" PRIu64, stats.processes_refused);
}

void bpf_collector_account(struct bpf_collector *collector, size_t event_count, bool is_final,
			   struct losses *losses)
{
	state_tables(collector);
	tick_account_take(collector->ticks, event_count, collector->points, is_final, losses);
	losses->count[LOSS_POINT_MISSED] = bpf_sampler_points_missed(collector->sampler);
	losses->count[LOSS_CHILDREN] = bpf_sampler_children_lost(collector->sampler);
}
