/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/wait.h"

#include <errno.h>
#include <string.h>

static const char *const names[WAIT_KIND_COUNT] = {
	[WAIT_BLOCKED] = "off-cpu:blocked",
	[WAIT_BLOCKED_IO] = "off-cpu:blocked-io",
	[WAIT_BLOCKED_UNINTERRUPTIBLE] = "off-cpu:blocked-uninterruptible",
	[WAIT_STOPPED] = "off-cpu:stopped",
	[WAIT_RUNNABLE] = "off-cpu:runnable",
	[WAIT_PREEMPTED] = "off-cpu:preempted",
	[WAIT_SHORT_BLOCKED] = "off-cpu:short-blocked",
	[WAIT_SHORT_RUNNABLE] = "off-cpu:short-runnable",
	[WAIT_SHORT_COUNT] = "off-cpu:short-count",
	[WAIT_WAKER] = "off-cpu:waker",
};

int wait_kind_of_name(const char *name)
{
	for (int kind = 0; kind < WAIT_KIND_COUNT; kind++)
		if (strcmp(name, names[kind]) == 0)
			return kind;
	return -1;
}

const char *thread_state_name(enum thread_state state)
{
	static const char *const state_names[THREAD_STATE_COUNT] = {
		[THREAD_RUNNING] = "running",
		[THREAD_RUNNABLE] = "runnable",
		[THREAD_PREEMPTED] = "preempted",
		[THREAD_BLOCKED] = "blocked",
		[THREAD_BLOCKED_IO] = "blocked on I/O",
		[THREAD_BLOCKED_UNINTERRUPTIBLE] = "blocked, uninterruptible",
		[THREAD_STOPPED] = "stopped",
	};

	return (unsigned int)state < THREAD_STATE_COUNT ? state_names[state] : "?";
}

enum thread_state wait_kind_state(int kind)
{
	static const enum thread_state states[WAIT_KIND_COUNT] = {
		[WAIT_BLOCKED] = THREAD_BLOCKED,
		[WAIT_BLOCKED_IO] = THREAD_BLOCKED_IO,
		[WAIT_BLOCKED_UNINTERRUPTIBLE] = THREAD_BLOCKED_UNINTERRUPTIBLE,
		[WAIT_STOPPED] = THREAD_STOPPED,
		[WAIT_RUNNABLE] = THREAD_RUNNABLE,
		[WAIT_PREEMPTED] = THREAD_PREEMPTED,
		[WAIT_SHORT_BLOCKED] = THREAD_BLOCKED,
		[WAIT_SHORT_RUNNABLE] = THREAD_RUNNABLE,
		[WAIT_SHORT_COUNT] = THREAD_RUNNING,
		[WAIT_WAKER] = THREAD_RUNNING,
	};

	return kind >= 0 && kind < WAIT_KIND_COUNT ? states[kind] : THREAD_RUNNING;
}

const struct sample *wait_waker(const struct sample_batch *batch, size_t index,
				uint32_t waker_event)
{
	const struct sample *wait = &batch->samples.at[index];

	for (size_t i = index + 1; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];

		if (sample->time_ns != wait->time_ns || sample->cpu != wait->cpu)
			return NULL;
		if (sample->event == waker_event)
			return sample;
	}
	return NULL;
}

uint32_t wait_event_of(const struct model *model, enum wait_kind kind)
{
	for (uint32_t i = 0; i < model->events.count; i++)
		if (wait_kind_of_name(model_string(model, model->events.at[i].name)) == (int)kind)
			return i;
	return MODEL_NO_EVENT;
}

int wait_events_add(struct model *model, uint64_t min_ns, uint32_t *ret_first)
{
	uint32_t first = (uint32_t)model->events.count;

	if (first + WAIT_KIND_COUNT > UINT8_MAX + 1u)
		return -E2BIG;
	for (int kind = 0; kind < WAIT_KIND_COUNT; kind++) {
		struct event *event = vec_push(&model->events);

		if (!event)
			return -ENOMEM;
		*event = (struct event){
			.name = model_intern(model, names[kind]),
			.period = 1,
			.is_time = kind != WAIT_SHORT_COUNT,
		};
	}
	model_fact_set_u64(model, FACT_OFF_CPU_MIN_NS, min_ns);
	*ret_first = first;
	return 0;
}
