/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "process/proc_read.h"
#include "process/tracker-private.h"

/* ---- maps ---- */

struct maps_reading {
	struct tracker *tracker;
	struct live_process *process;
	struct address_space *space;
	/* lowest address at which the program's file is mapped; 0: unknown */
	uint64_t program_addr;
	/* a mapping of the program's file was found, at program_addr if that is not 0 */
	bool shows_program;
};

static void maps_reading_fini(struct maps_reading *reading)
{
	address_space_drop(reading->space);
}

static const char *known_program(const struct tracker *tracker, const struct live_process *process)
{
	if (process->exe || !process->main_pin)
		return model_string(tracker->model, process->exe);
	return pins_path(tracker->pins, process->main_pin);
}

/*
 * Compares only the file names of two paths, because the same file has different paths in different
 * root directories.
 */
static bool same_name(const char *a, const char *b)
{
	const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');

	return strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0;
}

static uint64_t program_addr(const struct live_process *process)
{
	const struct address_space *space = process->space;
	uint64_t addr = 0;

	for (size_t i = 0; process->main_pin && space && i < space->mappings.count; i++)
		if (space->mappings.at[i].pin == process->main_pin)
			/* sorted by descending address, so the last one is the lowest */
			addr = space->mappings.at[i].start_addr;
	return addr;
}

static int add_mapping(void *context, const struct record_mmap *mmap)
{
	struct maps_reading *reading = context;
	struct tracker *tracker = reading->tracker;
	struct live_mapping mapping = {
		.start_addr = mmap->start_addr,
		.end_addr = mmap->start_addr + mmap->size_bytes,
		.offset = mmap->offset,
		.pin = pins_see(tracker->pins, live_pin_user(tracker, reading->process), mmap),
	};

	tracker_see_dump(tracker, reading->process, mmap);
	reading->shows_program |= mapping.pin != PIN_GENERATED &&
				  (!reading->program_addr ||
				   reading->program_addr == mapping.start_addr) &&
				  same_name(pins_path(tracker->pins, mapping.pin),
					    known_program(tracker, reading->process));
	return address_space_map(&reading->space, &mapping, &tracker->clock);
}

/*
 * Reads the mappings from /proc. Returns -ESRCH if /proc shows no mappings, because the process is
 * then about to exit. The caller can then keep the mappings that are already known.
 */
static int read_maps(struct maps_reading *reading)
{
	int rc = proc_read_maps(reading->process->tgid, add_mapping, reading);

	if (rc < 0)
		return rc;
	return reading->space ? 0 : -ESRCH;
}

static void take_maps(struct live_process *process, struct maps_reading *reading, uint64_t now_ns)
{
	process->maps_ns = now_ns;
	(void)address_space_replace(&process->space, TAKE_PTR(reading->space));
}

/* Reads the mappings of a process that was just added. Records report later changes. */
static int read_first_maps(struct tracker *tracker, struct live_process *process)
{
	_cleanup_(maps_reading_fini) struct maps_reading reading = {
		.tracker = tracker,
		.process = process,
	};
	uint64_t now_ns = clock_monotonic_ns();
	int rc = read_maps(&reading);

	if (rc < 0)
		return rc;
	take_maps(process, &reading, now_ns);
	return 0;
}

static bool is_unchanged(const struct live_process *process, const struct proc_task *before)
{
	struct proc_task after;

	return proc_read_task(process->tgid, process->tgid, &after) == 0 &&
	       identity_is_unchanged(before, &after);
}

/*
 * Another process or program may have the tgid by now, so the identity is compared before and after
 * the reading. If the program's identity is not known, the program's file is compared instead:
 * /proc must show it, and at the same address as the records, if they contain that address.
 */
int tracker_read_maps(struct tracker *tracker, struct live_process *process)
{
	_cleanup_(maps_reading_fini) struct maps_reading reading = {
		.tracker = tracker,
		.process = process,
		.program_addr = program_addr(process),
	};
	uint64_t now_ns = clock_monotonic_ns();
	struct proc_task leader;
	enum identity_match match = tracker_ask(process, &leader);
	int rc;

	process->gone = match > IDENTITY_UNCLEAR;
	if (match != IDENTITY_SAME &&
	    (process->gone || !leader.start_stack || !known_program(tracker, process)[0]))
		return -ESRCH;
	rc = read_maps(&reading);
	if (rc < 0)
		return rc;
	if ((match != IDENTITY_SAME && !reading.shows_program) || !is_unchanged(process, &leader))
		return -ESRCH;
	take_maps(process, &reading, now_ns);
	process->start_ticks = leader.start_ticks;
	process->start_code = leader.start_code;
	process->start_stack = leader.start_stack;
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
		process->exe = model_keep_name(tracker->model, path);
}

/* ---- reading again ---- */

static void exit_unseen(struct tracker *tracker, const struct live_process *process,
			uint64_t scanned_ns, uint64_t time_ns)
{
	for (struct live_thread *thread = process->threads; thread; thread = thread->next_sibling)
		if (thread->scanned_ns < scanned_ns)
			live_thread_exit(tracker, thread, time_ns);
}

int tracker_read_again(struct tracker *tracker, struct live_process *process,
		       const struct proc_task *leader, uint64_t time_ns)
{
	struct tasks_reading reading = { tracker, process, clock_monotonic_ns() };
	int rc;

	process->parent_tgid = leader->parent_tgid;
	process->scanned_ns = reading.now_ns;
	process->was_read = false;
	process->uid_told = false;
	if (!known_program(tracker, process)[0])
		read_program(tracker, process);
	rc = proc_each_id(process->tgid, visit_task, &reading);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	exit_unseen(tracker, process, reading.now_ns, time_ns);
	return 0;
}

/* ---- processes ---- */

static void inherit_target(struct tracker *tracker, struct live_process *process)
{
	const struct live_process *parent = live_process_get(tracker, process->parent_tgid);

	if (parent && parent->is_target)
		process->is_target = true;
}

/*
 * Adds a process with its threads. Replaces the process that had the tgid before. Returns -ESRCH if
 * /proc shows no running threads.
 */
static int enter_process(struct tracker *tracker, uint32_t tgid, const struct proc_task *leader,
			 struct live_process **ret_process)
{
	struct live_process *old = live_process_get(tracker, tgid), *process;
	struct tasks_reading reading = { .tracker = tracker, .now_ns = clock_monotonic_ns() };
	bool was_target = old && old->is_target && old->unknown;
	int rc;

	if (old)
		live_process_hide(tracker, old);
	process = live_process_add(tracker, tgid, leader->start_ns);
	if (!process)
		return -ENOMEM;
	process->parent_tgid = leader->parent_tgid;
	process->kernel_thread = leader->kernel_thread;
	process->start_ticks = leader->start_ticks;
	process->start_code = leader->start_code;
	process->start_stack = leader->start_stack;
	process->scanned_ns = reading.now_ns;
	process->maps_known = true;
	process->is_target |= was_target;
	tracker_trust(tracker, process, reading.now_ns);
	inherit_target(tracker, process);
	reading.process = process;
	rc = proc_each_id(tgid, visit_task, &reading);
	if (!process->threads) {
		live_process_free(tracker, process);
		return rc < 0 ? rc : -ESRCH;
	}
	*ret_process = process;
	return rc == -ENOMEM ? rc : 0;
}

static bool shows(const struct proc_task *leader, const struct identity *wanted)
{
	struct identity shown = identity_of_task(leader);

	return identity_compare(wanted, &shown) <= IDENTITY_UNCLEAR &&
	       wanted->start_stack == leader->start_stack;
}

static void forget_reading(struct live_process *process)
{
	address_space_drop(process->space);
	process->space = NULL;
	process->exe = 0;
	process->unknown = true;
	process->unverified = true;
}

int tracker_read_process(struct tracker *tracker, uint32_t tgid, const struct identity *wanted)
{
	struct live_process *process = NULL;
	struct proc_task leader;
	int rc = proc_read_task(tgid, tgid, &leader);

	if (rc < 0)
		return rc;
	if (leader.state == 'X' || (wanted && !shows(&leader, wanted)))
		return -ESRCH;
	rc = enter_process(tracker, tgid, &leader, &process);
	if (rc < 0)
		return rc;
	read_program(tracker, process);
	if (!process->kernel_thread)
		rc = read_first_maps(tracker, process);
	if (wanted && !is_unchanged(process, &leader)) {
		forget_reading(process);
		return -ESRCH;
	}
	tracker_decide_application(tracker, process);
	tracker_choose(tracker, process);
	return rc == -ENOMEM ? rc : 0;
}

static int visit_process(void *context, uint32_t tgid)
{
	return tracker_read_process(context, tgid, NULL) == -ENOMEM ? -ENOMEM : 0;
}

int tracker_scan(struct tracker *tracker, uint32_t tgid, struct err *err)
{
	int rc = tgid ? visit_process(tracker, tgid) : proc_each_id(0, visit_process, tracker);

	return rc < 0 ? err_sys(err, rc, "cannot read the processes in /proc") : 0;
}
