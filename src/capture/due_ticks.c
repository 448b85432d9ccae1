/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/due_ticks.h"

#include <errno.h>

#include "capture/event_reading.h"

static bool is_known(const struct event_plan *plan, size_t event)
{
	const struct event_spec *spec = &plan->sampled[event];
	const struct perf_event_attr *attr = &spec->attr;
	bool is_part = attr->exclude_user || attr->exclude_kernel || attr->exclude_idle;

	return !plan->in_kernel && !attr->freq && attr->sample_period &&
	       !(spec->is_time && is_part);
}

void due_ticks_fini(struct due_ticks *due)
{
	vec_free(&due->counts);
}

/* The descriptors of each place are those of its events, each followed by its counters. */
static size_t event_of(const struct event_plan *plan, size_t index)
{
	return index / (1 + plan->counter_count) % plan->sampled_count;
}

int due_ticks_settle(struct due_ticks *due, const struct due_events *events)
{
	const struct event_plan *plan = events->plan;

	while (due->counts.count < events->fd_count)
		if (!vec_push(&due->counts))
			return -ENOMEM;
	memset(due->lost, 0, sizeof(due->lost));
	for (size_t i = 0; i < events->fd_count; i += 1 + plan->counter_count) {
		size_t event = event_of(plan, i);
		struct event_reading now;

		if (events->fds[i] < 0 || !is_known(plan, event))
			continue;
		(void)event_read(events->fds[i], plan->sample_layout.read_format, &now);
		if (now.count > due->counts.at[i])
			due->due[event] += (now.count - due->counts.at[i]) / due->period[event];
		due->counts.at[i] = now.count;
		due->lost[event] += now.lost;
	}
	due->change_count++;
	return 0;
}

/* Returns how many ticks of a clock came while the CPU was idle, at its average rate. */
static uint64_t idle_ticks(const struct model *model, uint32_t cpu, uint64_t due)
{
	for (size_t i = 0; i < model->ledger.cpus.count; i++) {
		const struct cpu_ledger *ledger = &model->ledger.cpus.at[i];
		uint64_t wall_ns = ledger->end_ns - ledger->start_ns, idle_ns = 0;

		if (ledger->cpu != cpu || !wall_ns)
			continue;
		idle_ns += ledger->last_ns[CPU_TIME_IDLE] - ledger->first_ns[CPU_TIME_IDLE];
		idle_ns += ledger->last_ns[CPU_TIME_IOWAIT] - ledger->first_ns[CPU_TIME_IOWAIT];
		return (uint64_t)((double)due * (double)idle_ns / (double)wall_ns) + 1;
	}
	return 0;
}

/*
 * Returns how many of the missing ticks are no loss. Each thread that ends loses a part of a period
 * on each CPU, as does each change of the period.
 */
static uint64_t explained(const struct due_ticks *due, const struct due_events *events,
			  size_t event, const struct model *model)
{
	uint64_t idle, seen_idle = events->ticks[event].seen_idle;

	if (events->threads)
		return events->threads + due->change_count;
	idle = idle_ticks(model, events->cpu, due->due[event]);
	return due->change_count + (idle > seen_idle ? idle - seen_idle : 0);
}

uint64_t due_ticks_store(const struct due_ticks *due, const struct due_events *events,
			 struct model *model)
{
	uint64_t lost = 0;

	for (size_t event = 0; event < events->plan->sampled_count; event++) {
		uint64_t sent = events->ticks[event].seen, missing, no_loss;
		uint64_t arrived = sent + due->lost[event];

		if (!is_known(events->plan, event))
			continue;
		missing = due->due[event] > arrived ? due->due[event] - arrived : 0;
		model_tick_set(model, (uint32_t)event, events->cpu, "due", due->due[event]);
		model_tick_set(model, (uint32_t)event, events->cpu, "ticks", arrived);
		model_tick_set(model, (uint32_t)event, events->cpu, "sent", sent);
		model_tick_set(model, (uint32_t)event, events->cpu, "ring-full", due->lost[event]);
		model_tick_set(model, (uint32_t)event, events->cpu, "missing", missing);
		no_loss = explained(due, events, event, model);
		if (events->plan->sampled[event].is_time && missing > no_loss)
			lost += missing - no_loss;
	}
	return lost;
}
