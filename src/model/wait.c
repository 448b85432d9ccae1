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
