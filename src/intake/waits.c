/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/waits.h"

#include "model/wait.h"

/* State while the samples for one wait record are being made. */
struct making {
	const struct perf_record *record;
	const struct wait_places *places;
	uint32_t first_event;
	struct sample *samples;
	size_t count;
};

static void add(struct making *making, const struct wait_place *place, enum wait_kind kind,
		uint64_t weight)
{
	if (!place->thread)
		return;
	making->samples[making->count++] = (struct sample){
		.time_ns = making->record->time_ns,
		.weight = weight,
		.thread = place->thread,
		.stack = place->stack,
		.late_ns = LATE_UNKNOWN,
		.cpu = making->places->cpu,
		.event = (uint8_t)(making->first_event + kind),
		.context = (uint8_t)place->context,
	};
}

/*
 * Returns the reason why the task slept. Disk I/O is checked before the uninterruptible flag,
 * because it is more specific.
 */
static enum wait_kind kind_of_sleep(uint16_t flags)
{
	if (flags & WIRE_WAIT_STOPPED)
		return WAIT_STOPPED;
	if (flags & WIRE_WAIT_IO)
		return WAIT_BLOCKED_IO;
	return flags & WIRE_WAIT_UNINTERRUPTIBLE ? WAIT_BLOCKED_UNINTERRUPTIBLE : WAIT_BLOCKED;
}

static void add_one_wait(struct making *making)
{
	const struct wire_wait *wait = &making->record->wait.wait;
	bool preempted = wait->flags & WIRE_WAIT_PREEMPTED;

	if (wait->blocked_ns)
		add(making, &making->places->task, kind_of_sleep(wait->flags), wait->blocked_ns);
	if (wait->runnable_ns)
		add(making, &making->places->task, preempted ? WAIT_PREEMPTED : WAIT_RUNNABLE,
		    wait->runnable_ns);
	if (wait->flags & WIRE_WAIT_WAKER && wait->blocked_ns)
		add(making, &making->places->waker, WAIT_WAKER, wait->blocked_ns);
}

/*
 * Always makes the sample that counts short waits, even if the count is 0: its timestamp shows
 * until when the thread lived (model/wait.h).
 */
static void add_short_waits(struct making *making)
{
	const struct wire_wait *wait = &making->record->wait.wait;

	if (wait->blocked_ns)
		add(making, &making->places->task, WAIT_SHORT_BLOCKED, wait->blocked_ns);
	if (wait->runnable_ns)
		add(making, &making->places->task, WAIT_SHORT_RUNNABLE, wait->runnable_ns);
	add(making, &making->places->task, WAIT_SHORT_COUNT, wait->count);
}

size_t waits_samples(const struct perf_record *record, const struct wait_places *places,
		     uint32_t first_event, struct sample ret_samples[static WAITS_SAMPLES_MAX])
{
	struct making making = { record, places, first_event, ret_samples, 0 };

	if (record->wait.wait.flags & WIRE_WAIT_SHORT)
		add_short_waits(&making);
	else
		add_one_wait(&making);
	return making.count;
}
