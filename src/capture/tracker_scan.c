/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/clock.h"
#include "capture/proc_read.h"
#include "capture/tracker-private.h"

/* ---- maps ---- */

struct maps_reading {
	struct tracker *tracker;
	const struct live_process *process;
	struct address_space *space;
	bool shows_program;	/* what is known of it lies among them */
};

static const char *known_program(const struct tracker *tracker, const struct live_process *process)
{
	if (process->exe || !process->main_pin)
		return model_string(tracker->model, process->exe);
	return pins_path(tracker->pins, process->main_pin);
}

/* From another root the same file has another path, so the name has to do. */
static bool same_name(const char *a, const char *b)
{
	const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');

	return strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0;
}

static int add_mapping(void *context, const struct record_mmap *mmap)
{
	struct maps_reading *reading = context;
	struct tracker *tracker = reading->tracker;
	struct live_mapping mapping = {
		.start_addr = mmap->start_addr,
		.end_addr = mmap->start_addr + mmap->size_bytes,
		.offset = mmap->offset,
		.pin = pins_see(tracker->pins, live_pin_user(reading->process), mmap),
	};

	reading->shows_program |= mapping.pin != PIN_GENERATED &&
				  same_name(pins_path(tracker->pins, mapping.pin),
					    known_program(tracker, reading->process));
	return address_space_map(&reading->space, &mapping, &tracker->clock);
}

int tracker_read_maps(struct tracker *tracker, struct live_process *process)
{
	struct maps_reading reading = { .tracker = tracker, .process = process };
	uint64_t now_ns = clock_monotonic_ns();
	int rc = proc_read_maps(process->tgid, add_mapping, &reading);

	/*
	 * A dying process has empty maps: what is known of it says more.  And what has its tgid by
	 * now may be another program, whose records are still to come.
	 */
	if (rc == -ENOMEM || !reading.space ||
	    (known_program(tracker, process)[0] && !reading.shows_program)) {
		address_space_drop(reading.space);
		return rc;
	}
	process->maps_ns = now_ns;
	(void)address_space_replace(&process->space, reading.space);
	return 0;
}

/* ---- tasks ---- */

static int add_task(struct live_process *process, struct tracker *tracker, uint32_t tid,
		    uint64_t now_ns)
{
	struct live_thread *thread = live_thread_get(tracker, tid);
	struct proc_task task;

	if (proc_read_task(process->tgid, tid, &task) < 0 || strchr("ZX", task.state))
		return 0;
	if (!thread || thread->process != process || thread->exit_ns)
		thread = live_thread_add(tracker, process, tid, task.start_ns);
	if (!thread)
		return -ENOMEM;
	thread->scanned_ns = now_ns;
	live_thread_rename(thread, task.comm);
	return 0;
}

struct tasks_reading {
	struct tracker *tracker;
	struct live_process *process;
	uint64_t now_ns;
};

static int visit_task(void *context, uint32_t tid)
{
	const struct tasks_reading *reading = context;

	return add_task(reading->process, reading->tracker, tid, reading->now_ns);
}

static void read_program(struct tracker *tracker, struct live_process *process)
{
	char path[PROC_PATH_MAX];

	if (!process->kernel_thread && proc_read_exe(process->tgid, path) == 0)
		process->exe = model_intern(tracker->model, path);
}

/* ---- once more ---- */

/* Start times of /proc are cut to a tick of USER_HZ; nobody gets a tgid again so soon. */
static bool is_successor(const struct live_process *process, const struct proc_task *leader)
{
	return process->start_ns && leader->start_ns > process->start_ns + NS_PER_SEC;
}

static void exit_unseen(struct tracker *tracker, const struct live_process *process,
			uint64_t scanned_ns, uint64_t time_ns)
{
	for (struct live_thread *thread = process->threads; thread; thread = thread->next_sibling)
		if (thread->scanned_ns < scanned_ns)
			live_thread_exit(tracker, thread, time_ns);
}

static void read_program_again(struct tracker *tracker, struct live_process *process,
			       uint64_t time_ns)
{
	const char *known = known_program(tracker, process);
	char path[PROC_PATH_MAX];

	if (process->kernel_thread || proc_read_exe(process->tgid, path) < 0 ||
	    same_name(known, path))
		return;
	if (known[0])
		tracker_begin_program(tracker, process, time_ns);
	process->exe = model_intern(tracker->model, path);
}

int tracker_read_again(struct tracker *tracker, struct live_process *process, uint64_t time_ns)
{
	struct tasks_reading reading = { tracker, process, clock_monotonic_ns() };
	struct proc_task leader;
	int rc;

	process->distrusted = false;
	process->reread_ns = time_ns;
	if (proc_read_task(process->tgid, process->tgid, &leader) < 0 || leader.state == 'X')
		return 0;
	if (is_successor(process, &leader))
		return tracker_read_process(tracker, process->tgid) == -ENOMEM ? -ENOMEM : 0;
	process->parent_tgid = leader.parent_tgid;
	process->kernel_thread = leader.kernel_thread;
	process->scanned_ns = reading.now_ns;
	process->was_read = false;
	process->uid_told = false;
	process->unknown = false;
	read_program_again(tracker, process, time_ns);
	rc = proc_each_id(process->tgid, visit_task, &reading);
	if (rc == 0)
		exit_unseen(tracker, process, reading.now_ns, time_ns);
	if (rc == -ENOMEM || process->kernel_thread)
		return rc == -ENOMEM ? rc : 0;
	process->maps_known = true;
	return tracker_read_maps(tracker, process) == -ENOMEM ? -ENOMEM : 0;
}

/* ---- processes ---- */

static void inherit_target(struct tracker *tracker, struct live_process *process)
{
	const struct live_process *parent = live_process_get(tracker, process->parent_tgid);

	if (parent && parent->is_target)
		process->is_target = true;
}

int tracker_read_process(struct tracker *tracker, uint32_t tgid)
{
	struct live_process *process;
	struct proc_task leader;
	struct tasks_reading reading = { .tracker = tracker, .now_ns = clock_monotonic_ns() };
	int rc = proc_read_task(tgid, tgid, &leader);

	if (rc < 0)
		return rc;
	if (leader.state == 'X')
		return -ESRCH;
	process = live_process_add(tracker, tgid, leader.start_ns);
	if (!process)
		return -ENOMEM;
	process->parent_tgid = leader.parent_tgid;
	process->kernel_thread = leader.kernel_thread;
	process->scanned_ns = reading.now_ns;
	process->maps_known = true;
	inherit_target(tracker, process);
	reading.process = process;
	rc = proc_each_id(tgid, visit_task, &reading);
	if (!process->threads) {
		live_process_free(tracker, process);
		return rc < 0 ? rc : -ESRCH;
	}
	read_program(tracker, process);
	if (rc != -ENOMEM && !process->kernel_thread)
		rc = tracker_read_maps(tracker, process);
	tracker_decide_application(tracker, process);
	return rc == -ENOMEM ? rc : 0;
}

static int visit_process(void *context, uint32_t tgid)
{
	return tracker_read_process(context, tgid) == -ENOMEM ? -ENOMEM : 0;
}

int tracker_scan(struct tracker *tracker, uint32_t tgid, struct err *err)
{
	int rc = tgid ? visit_process(tracker, tgid) : proc_each_id(0, visit_process, tracker);

	return rc < 0 ? err_sys(err, rc, "cannot read the processes in /proc") : 0;
}
