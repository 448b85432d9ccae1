/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/clock.h"
#include "process/tracker-private.h"

/* ---- what /proc shows ---- */

static struct identity identity_of(const struct live_process *process)
{
	return (struct identity){
		.start_ns = process->start_ns ? process->start_ns : process->exec_ns,
		.start_ticks = process->start_ticks,
		.start_code = process->start_code,
		.start_stack = process->start_stack,
	};
}

/*
 * Reads the leader of a process. Returns false if it has exited. A zombie counts as exited, because
 * it no longer has a program.
 */
static bool read_leader(uint32_t tgid, struct proc_task *ret_leader)
{
	return !proc_is_gone(tgid) && proc_read_task(tgid, tgid, ret_leader) == 0 &&
	       !strchr("ZX", ret_leader->state);
}

enum identity_match tracker_ask(const struct live_process *process, struct proc_task *ret_leader)
{
	struct identity known = identity_of(process), shown;
	enum identity_match match;

	if (!read_leader(process->tgid, ret_leader))
		return IDENTITY_NOBODY;
	shown = identity_of_task(ret_leader);
	match = identity_compare(&known, &shown);
	if (match == IDENTITY_UNCLEAR && process->kernel_thread && ret_leader->kernel_thread)
		return IDENTITY_SAME;
	return match;
}

/* ---- loss of records ---- */

void tracker_distrust(struct tracker *tracker, uint64_t from_ns, uint64_t until_ns)
{
	struct live_process *process;
	size_t cursor = 0;

	if (!tracker->options.read_proc)
		return;
	if (until_ns > tracker->lost_until_ns)
		tracker->lost_until_ns = until_ns;
	while ((process = u64map_next_ptr(&tracker->processes, &cursor))) {
		if (live_is_special(process->tgid, process->tgid) ||
		    process->verified_ns >= until_ns)
			continue;
		process->distrusted = true;
		if (process->verified_ns < from_ns)
			process->verified_ns = from_ns;
	}
	tracker->vanished_due = true;
}

void tracker_end_distrust(struct tracker *tracker, uint64_t until_ns)
{
	if (tracker->lost_until_ns == UINT64_MAX)
		tracker->lost_until_ns = until_ns;
}

void tracker_trust(const struct tracker *tracker, struct live_process *process, uint64_t time_ns)
{
	process->verified_ns = time_ns;
	process->distrusted = tracker->lost_until_ns && time_ns <= tracker->lost_until_ns;
}

bool tracker_is_in_doubt(const struct live_process *process, uint64_t time_ns)
{
	return process->distrusted && time_ns > process->verified_ns && !process->unknown;
}

/* ---- unknown processes ---- */

static struct live_process *begin_unknown(struct tracker *tracker, uint32_t tgid, uint64_t time_ns)
{
	struct live_process *old = live_process_get(tracker, tgid), *process;

	if (old)
		live_process_hide(tracker, old);
	process = live_process_add(tracker, tgid, time_ns);
	if (!process)
		return NULL;
	process->start_ns = 0;
	process->unknown = true;
	process->unverified = tracker->lost_until_ns != 0;
	process->maps_known = true;
	return process;
}

/*
 * Reads /proc for an unknown process. If this reading shows the same process as the previous one,
 * the sample belongs to that process, because it was taken between the two readings. The process
 * that /proc shows then replaces the unknown one.
 */
static struct live_process *look(struct tracker *tracker, struct live_process *process,
				 uint64_t time_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint32_t tgid = process->tgid;
	struct proc_task leader = { 0 };

	if (!tracker->options.read_proc || process->gone ||
	    (process->seen_ns && time_ns <= process->seen_ns) || !live_may_reread(process, time_ns))
		return process;
	if (!read_leader(tgid, &leader))
		leader = (struct proc_task){ 0 };
	if (leader.start_ticks && identity_is_unchanged(&process->seen, &leader)) {
		struct identity wanted = identity_of_task(&leader);

		if (tracker_read_process(tracker, tgid, &wanted) == 0)
			return live_process_get(tracker, tgid);
		process = live_process_get(tracker, tgid);
		if (!process)
			process = begin_unknown(tracker, tgid, time_ns);
	}
	if (process) {
		process->seen_ns = now_ns;
		process->seen = leader;
	}
	return process;
}

/* ---- resolving a doubt ---- */

/*
 * Decides whether /proc shows the same process running the same program. If the identity does not
 * show a difference, the mappings are read too; they decide the case IDENTITY_UNCLEAR. If it is too
 * early to read the mappings again, IDENTITY_UNCLEAR is treated as another program. If
 * process->gone was set before, the result is never IDENTITY_SAME.
 */
static enum identity_match settle(struct tracker *tracker, struct live_process *process,
				  uint64_t time_ns, struct proc_task *ret_leader)
{
	enum identity_match match = tracker_ask(process, ret_leader);

	if (process->gone && match <= IDENTITY_UNCLEAR)
		return IDENTITY_OTHER_PROGRAM;
	if (match > IDENTITY_UNCLEAR || process->kernel_thread)
		return match;
	if (!live_may_reread(process, time_ns))
		return match == IDENTITY_SAME ? match : IDENTITY_OTHER_PROGRAM;
	if (tracker_read_maps(tracker, process) == 0)
		return IDENTITY_SAME;
	if (match == IDENTITY_SAME)
		return IDENTITY_NOBODY;	/* the process has just exited */
	return ret_leader->start_stack ? IDENTITY_OTHER_PROGRAM : IDENTITY_NOBODY;
}

/*
 * Continues with a process that was verified at a time when /proc must not be read in full again
 * yet. The mappings of the process are unknown until the next full read.
 */
static void go_on_unread(const struct tracker *tracker, struct live_process *process,
			 uint64_t now_ns)
{
	process->maps_known = process->kernel_thread;
	tracker_trust(tracker, process, now_ns);
	process->distrusted = true;
}

static void go_on(struct tracker *tracker, struct live_process *process,
		  const struct proc_task *leader, uint64_t now_ns, uint64_t time_ns)
{
	if (!live_may_reread(process, time_ns)) {
		go_on_unread(tracker, process, now_ns);
		return;
	}
	if (tracker_read_again(tracker, process, leader, time_ns) < 0)
		loss_add(&tracker->model->losses, LOSS_MEMORY, 1);
	process->maps_known = true;
	process->reread_ns = time_ns;
	tracker_trust(tracker, process, now_ns);
}

/*
 * Replaces the process by an unknown one. If the process is the same and only its program is
 * different, the new entry keeps the start time, the parent and the target flag.
 */
static struct live_process *begin_other(struct tracker *tracker, struct live_process *process,
					enum identity_match match, uint64_t time_ns)
{
	uint64_t start_ns = process->start_ns, start_ticks = process->start_ticks;
	uint32_t tgid = process->tgid, parent_tgid = process->parent_tgid;
	uint64_t reread_ns = process->reread_ns;
	bool is_target = process->is_target;

	process = begin_unknown(tracker, tgid, time_ns);
	if (!process || match != IDENTITY_OTHER_PROGRAM)
		return process;
	process->start_ns = start_ns;
	process->start_ticks = start_ticks;
	process->parent_tgid = parent_tgid;
	process->reread_ns = reread_ns;
	process->is_target = is_target;
	return process;
}

struct live_process *tracker_verify(struct tracker *tracker, struct live_process *process,
				    uint64_t time_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct proc_task leader = { 0 };
	enum identity_match match = settle(tracker, process, time_ns, &leader);

	if (match == IDENTITY_SAME) {
		go_on(tracker, process, &leader, now_ns, time_ns);
		return process;
	}
	process = begin_other(tracker, process, match, time_ns);
	if (!process)
		return NULL;
	process->seen_ns = now_ns;
	if (match != IDENTITY_NOBODY)
		process->seen = leader;
	return process;
}

/* ---- samples that identify their process ---- */

/*
 * Called if the life in a sample proves that process and program are the same. If records were
 * lost, the mappings may have changed without a record. In that case, checks /proc and continues
 * with what it shows now. If /proc no longer shows the process, sets process->gone.
 */
static struct live_process *refresh(struct tracker *tracker, struct live_process *process,
				    uint64_t time_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct proc_task leader;

	if (!tracker_is_in_doubt(process, time_ns) || process->gone)
		return process;
	process->gone = settle(tracker, process, time_ns, &leader) != IDENTITY_SAME;
	if (!process->gone)
		go_on(tracker, process, &leader, now_ns, time_ns);
	return process;
}

struct live_process *tracker_identify(struct tracker *tracker, const struct sighting *sighting)
{
	struct live_process *process = live_process_get(tracker, sighting->tgid);
	bool is_other = process && sighting->life && process->life &&
			process->life != sighting->life;

	if (!process || is_other) {
		process = begin_unknown(tracker, sighting->tgid, sighting->time_ns);
		if (!process)
			return NULL;
		process->life = sighting->life;
		process->unverified |= is_other;
	}
	if (process->unknown)
		return look(tracker, process, sighting->time_ns);
	if (sighting->life && process->life == sighting->life)
		return refresh(tracker, process, sighting->time_ns);
	if (tracker_is_in_doubt(process, sighting->time_ns))
		return tracker_verify(tracker, process, sighting->time_ns);
	return process;
}

/*
 * Copies the life and the identity that the in-kernel sampler sent. Copies nothing if start_stack
 * is 0: the task then has no address space any more, and the identity shows the process but not the
 * program.
 */
static void learn(struct live_process *process, uint64_t life, const struct identity *told)
{
	if (!told->start_stack)
		return;
	process->life = life;
	process->start_ticks = told->start_ticks;
	process->start_code = told->start_code;
	process->start_stack = told->start_stack;
}

/*
 * Returns true if the known process with this tgid is the one of the sighting. Its life must not be
 * known yet, and its identity must not contradict @told. If so, the process gets the life of the
 * sighting.
 */
static bool is_known(struct tracker *tracker, const struct sighting *sighting,
		     const struct identity *told)
{
	struct live_process *process = live_process_get(tracker, sighting->tgid);
	struct identity known;

	if (!process || process->unknown || process->life)
		return false;
	if (tracker_is_in_doubt(process, sighting->time_ns)) {
		process = tracker_verify(tracker, process, sighting->time_ns);
		if (!process || process->unknown)
			return false;
	}
	known = identity_of(process);
	if (identity_compare(&known, told) > IDENTITY_UNCLEAR)
		return false;
	learn(process, sighting->life, told);
	return true;
}

static int begin_life(struct tracker *tracker, const struct sighting *sighting,
		      const struct identity *told)
{
	struct live_process *process;
	struct live_thread *thread;

	if (told->start_stack && tracker->options.read_proc &&
	    tracker_read_process(tracker, sighting->tgid, told) == 0) {
		learn(live_process_get(tracker, sighting->tgid), sighting->life, told);
		return 0;
	}
	process = begin_unknown(tracker, sighting->tgid, sighting->time_ns);
	thread = process ? live_thread_add(tracker, process, sighting->tid, 0) : NULL;
	if (!thread)
		return -ENOMEM;
	live_thread_rename(thread, sighting->owner->comm);
	/*
	 * Not counted as unverified if the task has no address space: it may just take long to exit
	 */
	process->unverified |= told->start_stack != 0;
	process->start_ns = told->start_ns;
	process->start_ticks = told->start_ticks;
	process->life = sighting->life;
	process->gone = told->start_stack != 0;
	if (process->gone)
		live_thread_exit(tracker, thread, clock_monotonic_ns());
	return 0;
}

int tracker_meet(struct tracker *tracker, const struct sighting *sighting)
{
	struct live_process *process;
	struct identity told;

	live_advance(tracker, sighting->time_ns);
	if (!sighting->life || !sighting->owner->start_ns ||
	    live_is_special(sighting->tgid, sighting->tid))
		return 0;
	told = identity_of_owner(sighting->owner, tracker->boot_shift_ns);
	process = live_process_get(tracker, sighting->tgid);
	if (process && process->life == sighting->life &&
	    (!process->unknown || process->gone || !told.start_stack)) {
		learn(process, sighting->life, &told);
		return 0;
	}
	if (is_known(tracker, sighting, &told))
		return 0;
	return begin_life(tracker, sighting, &told);
}
