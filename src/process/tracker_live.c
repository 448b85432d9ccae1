/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>

#include "base/clock.h"
#include "process/tracker-private.h"

struct live_process *live_process_get(const struct tracker *tracker, uint32_t tgid)
{
	return u64map_get_ptr(&tracker->processes, tgid);
}

struct live_thread *live_thread_get(const struct tracker *tracker, uint32_t tid)
{
	return u64map_get_ptr(&tracker->threads, tid);
}

void live_process_free(struct tracker *tracker, struct live_process *process)
{
	u64map_remove_ptr(&tracker->processes, process->tgid, process);
	address_space_drop(process->space);
	free(process);
}

struct live_process *live_process_add(struct tracker *tracker, uint32_t tgid, uint64_t time_ns)
{
	struct live_process *old = live_process_get(tracker, tgid);
	struct live_process *process = calloc(1, sizeof(*process));

	if (!process || u64map_put_ptr(&tracker->processes, tgid, process) < 0) {
		free(process);
		return NULL;
	}
	if (old && old->threads)
		live_exit_others(tracker, old, NULL, time_ns);
	else if (old)
		live_process_free(tracker, old);
	*process = (struct live_process){
		.tgid = tgid,
		.inner_tgid = tgid,
		.uid = UINT32_MAX,
		.start_ns = time_ns,
		.is_target = tracker->options.all_are_targets,
	};
	return process;
}

struct live_thread *live_thread_add(struct tracker *tracker, struct live_process *process,
				    uint32_t tid, uint64_t time_ns)
{
	struct live_thread *old = live_thread_get(tracker, tid);
	struct live_thread *thread = calloc(1, sizeof(*thread));

	if (!thread || u64map_put_ptr(&tracker->threads, tid, thread) < 0) {
		free(thread);
		return NULL;
	}
	if (old)
		live_thread_exit(tracker, old, time_ns);
	*thread = (struct live_thread){
		.tid = tid,
		.start_ns = time_ns,
		.process = process,
		.next_sibling = process->threads,
	};
	if (thread->next_sibling)
		thread->next_sibling->previous_sibling = thread;
	process->threads = thread;
	process->thread_count++;
	tracker->thread_count++;
	return thread;
}

void live_thread_rename(struct live_thread *thread, const char *comm)
{
	size_t length = strnlen(comm, LIVE_COMM_MAX - 1);

	if (strncmp(thread->comm, comm, length) == 0 && !thread->comm[length])
		return;
	memmove(thread->comm, comm, length);	/* memmove: @comm may be thread->comm itself */
	memset(thread->comm + length, 0, LIVE_COMM_MAX - length);
	thread->model_thread = 0;
}

static void free_thread(struct tracker *tracker, struct live_thread *thread)
{
	struct live_process *process = thread->process;

	if (process->thread_count == 1)
		/*
		 * must be done now: the name of the application may be the comm of this last thread
		 */
		tracker_decide_application(tracker, process);
	if (thread->next_sibling)
		thread->next_sibling->previous_sibling = thread->previous_sibling;
	if (thread->previous_sibling)
		thread->previous_sibling->next_sibling = thread->next_sibling;
	else
		process->threads = thread->next_sibling;
	process->thread_count--;
	tracker->thread_count--;
	if (process->thread_count == 0)
		live_process_free(tracker, process);
	u64map_remove_ptr(&tracker->threads, thread->tid, thread);
	free(thread);
}

/* Appends the thread to the list of exited threads, which is in the order of exit. */
static void begin_grace(struct tracker *tracker, struct live_thread *thread, uint64_t time_ns)
{
	thread->exit_ns = time_ns ? time_ns : 1;
	thread->sampled_ns = 0;
	thread->next_exited = NULL;
	if (tracker->last_exited)
		tracker->last_exited->next_exited = thread;
	else
		tracker->first_exited = thread;
	tracker->last_exited = thread;
}

void live_thread_exit(struct tracker *tracker, struct live_thread *thread, uint64_t time_ns)
{
	if (!thread->exit_ns)
		begin_grace(tracker, thread, time_ns);
}

void live_exit_others(struct tracker *tracker, const struct live_process *process,
		      const struct live_thread *but, uint64_t time_ns)
{
	for (struct live_thread *thread = process->threads; thread; thread = thread->next_sibling)
		if (thread != but)
			live_thread_exit(tracker, thread, time_ns);
}

void live_process_hide(struct tracker *tracker, const struct live_process *process)
{
	for (struct live_thread *thread = process->threads; thread; thread = thread->next_sibling)
		u64map_remove_ptr(&tracker->threads, thread->tid, thread);
}

static void exit_vanished(struct tracker *tracker)
{
	/*
	 * The grace period begins now, not at the unknown time of exit, because the last samples
	 * may still be in the rings
	 */
	uint64_t now_ns = clock_monotonic_ns();
	const struct live_process *process;
	size_t cursor = 0;

	while ((process = u64map_next_ptr(&tracker->processes, &cursor)))
		if (!live_is_special(process->tgid, process->tgid) &&
		    kill((pid_t)process->tgid, 0) < 0 && errno == ESRCH)
			live_exit_others(tracker, process, NULL, now_ns);
}

static struct live_thread *take_first_exited(struct tracker *tracker)
{
	struct live_thread *thread = tracker->first_exited;

	tracker->first_exited = thread->next_exited;
	if (!tracker->first_exited)
		tracker->last_exited = NULL;
	return thread;
}

static void end_grace(struct tracker *tracker, uint64_t time_ns)
{
	struct live_thread *thread = take_first_exited(tracker);

	if (thread->sampled_ns && time_ns - thread->sampled_ns <= TRACKER_GRACE_NS)
		begin_grace(tracker, thread, time_ns);
	else
		free_thread(tracker, thread);
}

static void expire(struct tracker *tracker, uint64_t time_ns)
{
	while (tracker->first_exited && time_ns > tracker->first_exited->exit_ns &&
	       time_ns - tracker->first_exited->exit_ns > TRACKER_GRACE_NS)
		end_grace(tracker, time_ns);
}

/* ---- advancing the time ---- */

static void sweep_pins(struct tracker *tracker)
{
	const struct live_process *process;
	size_t cursor = 0;

	tracker->sweeps++;
	while ((process = u64map_next_ptr(&tracker->processes, &cursor))) {
		struct address_space *space = process->space;

		pins_mark(tracker->pins, process->main_pin);
		if (!space || space->marked == tracker->sweeps)
			continue;
		space->marked = tracker->sweeps;
		for (size_t i = 0; i < space->mappings.count; i++)
			pins_mark(tracker->pins, space->mappings.at[i].pin);
	}
	pins_sweep(tracker->pins);
}

void live_advance(struct tracker *tracker, uint64_t time_ns)
{
	if (tracker->vanished_due && time_ns > tracker->vanished_ns + TRACKER_REREAD_NS) {
		tracker->vanished_due = false;
		tracker->vanished_ns = time_ns;
		exit_vanished(tracker);
	}
	expire(tracker, time_ns);
	if (pins_are_many(tracker->pins))
		sweep_pins(tracker);
}

void live_free_all(struct tracker *tracker)
{
	struct live_process *process;
	struct live_thread *thread;
	size_t cursor = 0;

	while ((thread = u64map_next_ptr(&tracker->threads, &cursor)))
		live_thread_exit(tracker, thread, 0);
	while (tracker->first_exited)
		free_thread(tracker, take_first_exited(tracker));
	cursor = 0;
	while ((process = u64map_next_ptr(&tracker->processes, &cursor)))
		live_process_free(tracker, process);
	u64map_fini(&tracker->threads);
	u64map_fini(&tracker->processes);
}

const char *live_process_comm(const struct live_process *process)
{
	for (const struct live_thread *thread = process->threads; thread;
	     thread = thread->next_sibling)
		if (thread->tid == process->tgid || !thread->next_sibling)
			return thread->comm;
	return "";
}
