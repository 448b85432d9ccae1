/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the kernel, or by perf's rings: what is possible here, and what was asked for. */
#include <errno.h>

#include "capture/capture-private.h"

bool capture_has_no_list(enum target_kind target)
{
	return target == TARGET_SYSTEM || target == TARGET_CGROUP || target == TARGET_USER;
}

/* What only the ring can do, or NULL. */
static const char *ring_only(const struct capture *capture, const struct capture_options *options)
{
	if (options->counters)
		return "--counters";
	if (capture->plan.per_task)
		return "events of single threads";
	if (options->callgraph == CALLGRAPH_FP)
		return "--call-graph fp";
	if (options->callgraph == CALLGRAPH_DWARF)
		return "--call-graph dwarf";
	return NULL;
}

/* What only the in-kernel sampler can do, or NULL. */
static const char *kernel_only(const struct capture_options *options)
{
	if (options->target == TARGET_USER)
		return "-u";
	return options->off_cpu ? "--off-cpu" : NULL;
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

/* A clock of one mode alone keeps its ticks in the other from the sampler, which is no loss. */
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

void capture_tell_periods(const struct capture *capture, bool known)
{
	const struct event_plan *plan = &capture->plan;

	for (size_t i = 0; capture->collector && i < plan->sampled_count; i++)
		if (event_plan_has_ticks(plan, i))
			bpf_sampler_set_period(bpf_collector_sampler(capture->collector),
					       (uint32_t)i,
					       known ? plan->sampled[i].attr.sample_period : 0);
}

static int start_sampler(struct capture *capture, const struct capture_options *options,
			 struct err *err)
{
	const struct bpf_collector_parts parts = {
		.model = capture->model,
		.tracker = capture->tracker,
		.pins = capture->pins,
		.tables = capture->tables,
		.chains = capture->chains,
	};
	struct bpf_sampler_options sampler = {
		.ring_bytes = options->sample_ring_bytes,
		.only_targets = !capture_has_no_list(options->target),
		.leave_out_self = options->leave_out_self,
		.only_user = options->target == TARGET_USER,
		.uid = options->uid,
		.points = event_plan_has_points(&capture->plan),
		.off_cpu = options->off_cpu,
		.off_cpu_wakers = options->off_cpu_wakers,
		.off_cpu_min_ns = options->off_cpu_min_ns,
		.no_user_stacks = options->callgraph == CALLGRAPH_NONE,
		.cgroup_fd = -1,
	};
	int rc;

	/* perf's clocks keep to it, what comes by tracepoints does not. */
	if (sampler.points || options->off_cpu)
		sampler.cgroup_fd = capture->plan.cgroup_fd;
	idle_code(&capture->kernel_text, &sampler);
	choose_clocks(&capture->plan, &sampler);
	rc = bpf_collector_new(&parts, &sampler, options->table_bytes, &capture->collector, err);
	if (rc == 0)
		rc = bpf_collector_attach_points(capture->collector, &capture->plan, err);
	if (rc < 0) {
		bpf_collector_free(capture->collector);
		capture->collector = NULL;
		return rc;
	}
	capture_tell_periods(capture, true);
	event_plan_go_in_kernel(&capture->plan);
	chains_walk_stacks(capture->chains, &capture->stack_walker);
	capture->intake.collector = capture->collector;
	capture->intake.sampler_filters = bpf_sampler_filters(
		bpf_collector_sampler(capture->collector));
	capture->off_cpu = options->off_cpu;
	return 0;
}

int capture_choose_collector(struct capture *capture, const struct capture_options *options,
			     struct err *err)
{
	const char *ring = ring_only(capture, options), *only_kernel = kernel_only(options);
	struct err why = { 0 };
	int rc;

	if (only_kernel && (ring || options->collector == COLLECTOR_RING))
		return err_set(err, -EINVAL, "%s needs the collector inside the kernel%s%s",
			       only_kernel, ring ? ", which cannot do " : "", ring ? ring : "");
	if (options->collector == COLLECTOR_RING)
		return 0;
	if (ring && options->collector == COLLECTOR_BPF)
		return err_set(err, -EINVAL, "--collector bpf: %s needs the ring", ring);
	if (ring)
		return 0;
	rc = start_sampler(capture, options, &why);
	if (rc < 0 && (options->collector == COLLECTOR_BPF || only_kernel))
		return err_set(err, rc, "%s: %s", only_kernel ? only_kernel : "--collector bpf",
			       why.text);
	if (rc < 0)
		(void)snprintf(capture->why_ring, sizeof(capture->why_ring),
			       "; by perf's rings: %s", why.text);
	return 0;
}
