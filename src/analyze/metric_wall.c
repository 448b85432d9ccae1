/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/metric_wall.h"

#include <errno.h>

#include "analyze/lookup.h"
#include "analyze/metric_rows.h"
#include "analyze/wall.h"
#include "base/cleanup.h"

/* One pass over the recording finds the wall time of all threads, and the stacks of all waits. */
struct reading {
	struct metric *metric;
	struct model *model;
	struct wall_making making;
	const struct metric_options *options;
	uint32_t clock;
};

static uint64_t state_key(uint32_t stack, int kind)
{
	return (uint64_t)stack << 8 | (uint8_t)kind;
}

static bool is_short(int kind)
{
	return kind == WAIT_SHORT_BLOCKED || kind == WAIT_SHORT_RUNNABLE;
}

static int add_state_frame(struct reading *reading, enum thread_state state, uint32_t *stack)
{
	char name[METRIC_STATE_MAX];

	metric_state_name(state, name);
	return metric_row_stack(reading->model, *stack, name, stack);
}

/* Adds the stack that shows the waits of one kind that have the stack @stack. */
static int add_state(struct reading *reading, uint32_t stack, int kind)
{
	struct u64map *states = &reading->metric->states;
	uint32_t shown = stack;
	int rc = 0;

	if (u64map_get(states, state_key(stack, kind), &shown))
		return 0;
	if (is_short(kind))
		rc = metric_row_stack(reading->model, STACK_ROOT_END, "[short waits]", &shown);
	if (rc == 0 && reading->options->states)
		rc = add_state_frame(reading, wait_kind_state(kind), &shown);
	return rc < 0 ? rc : u64map_put(states, state_key(stack, kind), shown);
}

static int see_sample(struct reading *reading, const struct sample *given)
{
	struct metric *metric = reading->metric;
	struct sample sample = *given;
	int kind = metric->wait_kinds[sample.event];
	struct metric_thread *thread;

	sample_make_safe(reading->model, &sample);
	thread = &metric->threads[sample.thread];
	if (sample.time_ns > thread->last_ns && kind != WAIT_WAKER)
		thread->last_ns = sample.time_ns;
	if (kind < 0) {
		thread->samples += sample.event == reading->clock && sample.context != CONTEXT_IDLE;
		return 0;
	}
	return wait_kind_state(kind) != THREAD_RUNNING ? add_state(reading, sample.stack, kind) : 0;
}

static int visit(void *context, const struct sample_batch *batch)
{
	struct reading *reading = context;

	wall_batch(&reading->making, batch);
	for (size_t i = 0; i < batch->samples.count; i++) {
		int rc = see_sample(reading, &batch->samples.at[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Returns the time in which the thread neither slept nor waited for a CPU. The times may come from
 * a forged file, so the waits may be longer than the wall time.
 */
static uint64_t running_ns(const struct wall_row *row)
{
	uint64_t left_ns = row->wall_ns;

	for (int part = WALL_SAMPLED_COUNT; part < WALL_UNOBSERVED; part++) {
		uint64_t ns = row->ns[part] > 0 ? (uint64_t)row->ns[part] : 0;

		left_ns -= ns < left_ns ? ns : left_ns;
	}
	return left_ns;
}

static int add_rest(struct reading *reading, uint32_t thread, uint32_t stack, uint8_t event)
{
	const struct metric_thread *at = &reading->metric->threads[thread];
	struct sample *sample = vec_push(&reading->metric->rest.samples);

	if (!sample)
		return -ENOMEM;
	*sample = (struct sample){
		.time_ns = at->last_ns,
		.weight = at->running_ns,
		.thread = thread,
		.stack = stack,
		.late_ns = LATE_UNKNOWN,
		.event = event,
		.context = CONTEXT_USER,
	};
	return 0;
}

static int set_threads(struct reading *reading, const struct wall *wall, uint8_t event)
{
	struct metric *metric = reading->metric;
	uint32_t stack = 0;
	int rc = metric_row_stack(reading->model, STACK_ROOT_END, "[not sampled]", &stack);

	for (size_t i = 0; rc == 0 && i < wall->rows.count; i++) {
		uint32_t id = wall->rows.at[i].id;

		metric->threads[id].running_ns = running_ns(&wall->rows.at[i]);
		if (!metric->threads[id].samples && metric->threads[id].running_ns)
			rc = add_rest(reading, id, stack, event);
	}
	return rc;
}

static int check(const struct filter *filter, struct err *err)
{
	if (!filter->events.list.count && !filter->from_ns && filter->to_ns == UINT64_MAX)
		return 0;
	return err_set(err, -EINVAL,
		       "wall time always covers all events and the whole recording, so "
		       "neither an event nor a time range can be selected");
}

/* Wall time is measured like a wait, but its running part is estimated from samples. */
static int add_event(struct metric *metric, struct model *model, uint8_t *ret_event,
		     struct err *err)
{
	const struct event like = { .is_time = true, .period = 1 };
	int rc = metric_row_event(model, &like, "wall-time", ret_event, err);

	for (int i = 0; rc == 0 && i < *ret_event; i++)
		metric->counts_as[i] = *ret_event;
	return rc;
}

static void set_takes(struct reading *reading)
{
	for (uint32_t i = 0; i < METRIC_EVENTS_MAX; i++) {
		int kind = reading->metric->wait_kinds[i];

		reading->metric->takes[i] = i == reading->clock ||
					    wait_kind_state(kind) != THREAD_RUNNING;
	}
}

static int read_wall(struct reading *reading, struct recording *recording, struct wall *wall,
		     struct err *err)
{
	struct losses losses = reading->model->losses;
	int rc = recording_each_block(recording, reading->model, NULL, visit, reading, err);

	/* The pass for which this metric is made counts the same damaged blocks again. */
	reading->model->losses = losses;
	if (rc < 0)
		return rc;
	rc = wall_end(&reading->making, BY_THREAD, wall);
	if (rc < 0)
		return rc;
	return wall->min_ns ? 0
			    : err_set(err, -ENODATA,
				      "wall time is not known, because waits were not recorded");
}

int metric_make_wall(struct metric *metric, struct recording *recording, struct model *model,
		     const struct metric_options *options, struct err *err)
{
	struct reading reading = { .metric = metric, .model = model, .options = options };
	_cleanup_(wall_fini) struct wall wall = { 0 };
	uint8_t event = 0;
	int rc = check(options->filter, err);

	if (rc < 0)
		return rc;
	metric->threads = calloc(model->threads.count + 1, sizeof(*metric->threads));
	if (!metric->threads)
		return -ENOMEM;
	rc = wall_begin(&reading.making, model, options->filter);
	reading.clock = reading.making.clock;
	if (rc == 0)
		rc = read_wall(&reading, recording, &wall, err);
	wall_making_fini(&reading.making);
	if (rc < 0)
		return rc;
	set_takes(&reading);
	rc = add_event(metric, model, &event, err);
	return rc < 0 ? rc : set_threads(&reading, &wall, event);
}

void metric_begin_wall(struct metric *metric)
{
	for (size_t i = 0; i < metric->model->threads.count; i++)
		metric->threads[i].taken = 0;
}

/* Returns @whole * @part / @count, rounded down, without overflow. */
static uint64_t part_of(uint64_t whole, uint64_t part, uint64_t count)
{
	return (uint64_t)((unsigned __int128)whole * part / count);
}

bool metric_take_wall(struct metric *metric, struct sample *sample)
{
	struct metric_thread *thread = &metric->threads[sample->thread];
	int kind = metric->wait_kinds[sample->event];
	uint64_t before;

	if (thread_of(metric->model, sample->thread)->tid == 0 || sample->context == CONTEXT_IDLE)
		return false;
	if (kind >= 0) {
		(void)u64map_get(&metric->states, state_key(sample->stack, kind), &sample->stack);
	} else {
		if (thread->taken == thread->samples)
			return false;
		before = part_of(thread->running_ns, thread->taken, thread->samples);
		thread->taken++;
		sample->weight = part_of(thread->running_ns, thread->taken, thread->samples) -
				 before;
	}
	sample->event = metric->counts_as[sample->event];
	return true;
}
