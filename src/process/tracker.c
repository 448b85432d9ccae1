/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/tracker.h"

#include <errno.h>

#include "process/proc_read.h"
#include "process/time_shift.h"
#include "process/tracker-private.h"
#include "process/tracker_guess.h"

#define IDLE_COMM "swapper"

/* Returns true if /proc was read after the record was written, so that the /proc data is newer. */
static bool is_older(const struct perf_record *record, uint64_t read_ns)
{
	return record->time_ns && record->time_ns <= read_ns;
}

static struct live_process *process_of(struct tracker *tracker, uint32_t tgid)
{
	struct live_process *process = live_process_get(tracker, tgid);

	if (process)
		return process;
	process = live_process_add(tracker, tgid, 0);
	if (process) {
		process->unknown = true;
		process->unverified = tracker->lost_until_ns != 0;
		process->maps_known = !tracker->options.read_proc;
	}
	return process;
}

struct live_thread *tracker_thread_bare(struct tracker *tracker, uint32_t tgid, uint32_t tid)
{
	struct live_thread *thread = live_thread_get(tracker, tid);
	struct live_process *process;

	if (thread && thread->process->tgid == tgid)
		return thread;
	process = process_of(tracker, tgid);
	if (!process)
		return NULL;
	thread = live_thread_add(tracker, process, tid, 0);
	if (thread)
		live_thread_rename(thread, live_process_comm(process));
	return thread;
}

/*
 * Called if @record is the first COMM or MMAP record of an unknown process. Later samples of the
 * process get new rows. Threads that were sampled before have no name yet and get the leader's.
 */
static void become_known(struct live_process *process, const struct perf_record *record)
{
	bool names_leader = record->kind == RECORD_COMM && record->tid == record->tgid;

	process->unknown = false;
	process->unverified = false;
	process->application = 0;
	process->instance = 0;
	process->model_process = 0;
	for (struct live_thread *thread = process->threads; thread; thread = thread->next_sibling) {
		thread->model_thread = 0;
		if (names_leader && !thread->comm[0])
			live_thread_rename(thread, record->comm.name);
	}
}

/*
 * Returns the thread that a COMM or MMAP record describes. Without /proc, such a record is all that
 * can become known of a process whose start was not recorded.
 */
static struct live_thread *thread_of(struct tracker *tracker, const struct perf_record *record)
{
	struct live_thread *thread = tracker_thread_bare(tracker, record->tgid, record->tid);

	if (thread && thread->process->unknown && !tracker->options.read_proc)
		become_known(thread->process, record);
	return thread;
}

/* ---- fork and exit ---- */

static int fork_thread(struct tracker *tracker, const struct perf_record *record)
{
	const struct live_thread *parent = live_thread_get(tracker, record->parent_tid);
	struct live_process *process = process_of(tracker, record->tgid);
	struct live_thread *thread;

	if (!process)
		return -ENOMEM;
	thread = live_thread_add(tracker, process, record->tid, record->time_ns);
	if (!thread)
		return -ENOMEM;
	live_thread_rename(thread, parent ? parent->comm : live_process_comm(process));
	return 0;
}

/*
 * Shares the parent's address space with the child. Generated code belongs to one process only, so
 * the child's generated code gets a new image.
 */
static int fork_space(struct tracker *tracker, const struct live_process *parent,
		      struct live_process *child)
{
	struct address_space *space;
	int rc;

	child->maps_known = parent->maps_known;
	if (parent->distrusted && !parent->maps_known) {
		child->reread_ns = parent->reread_ns;
		return 0;
	}
	space = address_space_share(parent->space);
	if (space && space->generated) {
		rc = address_space_own(&space);
		if (rc < 0) {
			address_space_drop(space);
			return rc;
		}
		for (size_t i = 0; i < space->mappings.count; i++)
			if (space->mappings.at[i].pin == PIN_GENERATED)
				space->mappings.at[i].image = 0;
		space->stamp = ++tracker->clock.last;
	}
	child->space = space;
	return 0;
}

static int inherit(struct tracker *tracker, struct live_process *parent, struct live_process *child)
{
	child->kernel_thread = parent->kernel_thread;
	child->is_target = parent->is_target || tracker->options.all_are_targets;
	child->unknown = parent->unknown;
	child->unverified = parent->unverified;
	child->start_code = parent->start_code;
	child->start_stack = parent->start_stack;
	child->main_pin = parent->main_pin;
	child->exe = parent->exe;
	child->name = parent->name;
	child->command_line = parent->command_line;
	child->name_was_read = parent->name != 0;
	memcpy(child->exec_comm, parent->exec_comm, sizeof(child->exec_comm));
	child->new_callers = parent->new_callers;
	child->new_nodes = parent->new_nodes;
	child->new_mappings = parent->new_mappings;
	child->walked_stamp = parent->walked_stamp;
	tracker_inherit_owner(parent, child);
	if (!parent->kernel_thread) {
		tracker_decide_application(tracker, parent);
		tracker_add_instance(tracker, child, parent->application);
	}
	return fork_space(tracker, parent, child);
}

/*
 * Returns the thread that forked. If records about its process may have been lost, verifies that
 * process now. The child inherits the parent's state, and it may be too late to verify the child
 * itself, because it may exit soon.
 */
static struct live_thread *parent_of(struct tracker *tracker, const struct perf_record *record)
{
	struct live_thread *parent = tracker_thread_bare(tracker, record->parent_tgid,
							 record->parent_tid);

	if (!parent || !tracker_is_in_doubt(parent->process, record->time_ns))
		return parent;
	if (!tracker_verify(tracker, parent->process, record->time_ns))
		return NULL;
	return tracker_thread_bare(tracker, record->parent_tgid, record->parent_tid);
}

static int fork_process(struct tracker *tracker, const struct perf_record *record)
{
	bool orphan = live_is_special(record->parent_tgid, record->parent_tid);
	struct live_thread *thread, *parent = orphan ? NULL : parent_of(tracker, record);
	struct live_process *process;

	if (!orphan && !parent)
		return -ENOMEM;
	process = live_process_add(tracker, record->tgid, record->time_ns);
	if (!process)
		return -ENOMEM;
	process->parent_tgid = record->parent_tgid;
	tracker_trust(tracker, process, record->time_ns);
	thread = live_thread_add(tracker, process, record->tid, record->time_ns);
	if (!thread) {
		live_process_free(tracker, process);
		return -ENOMEM;
	}
	if (orphan) {	/* the parent is outside the pid namespace */
		process->unknown = true;
		return 0;
	}
	live_thread_rename(thread, parent->comm);
	return inherit(tracker, parent->process, process);
}

static int apply_fork(struct tracker *tracker, const struct perf_record *record)
{
	const struct live_thread *known = live_thread_get(tracker, record->tid);

	if (known && is_older(record, known->scanned_ns))
		return 0;
	if (record->parent_tgid == record->tgid)
		return fork_thread(tracker, record);
	return fork_process(tracker, record);
}

/*
 * /proc still shows a task for a while after the task's EXIT record was written. So an EXIT record
 * is applied even if it is older than the last read of /proc. It is ignored only if the known
 * thread started after the record was written: the record is then about an earlier thread with the
 * same tid.
 */
static void apply_exit(struct tracker *tracker, const struct perf_record *record)
{
	struct live_thread *thread = live_thread_get(tracker, record->tid);

	if (thread && thread->process->tgid == record->tgid && !is_older(record, thread->start_ns))
		live_thread_exit(tracker, thread, record->time_ns);
}

/* ---- comm and exec ---- */

void tracker_begin_program(struct tracker *tracker, struct live_process *process, uint64_t time_ns)
{
	tracker_decide_application(tracker, process);
	address_space_drop(process->space);
	process->space = NULL;
	process->application = 0;
	process->instance = 0;
	process->main_pin = 0;
	process->exe = 0;
	process->name = 0;
	process->command_line = 0;
	process->name_was_read = false;
	process->exec_comm[0] = '\0';
	process->model_process = 0;
	process->exec_ns = time_ns;
	process->start_code = 0;
	process->start_stack = 0;
	process->maps_ns = 0;
	process->maps_known = true;
	process->kernel_thread = false;
	process->unknown = false;
	process->unverified = false;
	process->gone = false;
	tracker_trust(tracker, process, time_ns);
	process->was_read = false;
	process->uid_told = false;
	process->uid = UINT32_MAX;
	process->cgroup = 0;
	process->life = 0;
	process->walked_stamp = 0;
	process->walked_tables = 0;
}

/*
 * Returns the process that calls exec. If records about this process may have been lost, verifies
 * it first, because the tgid may already belong to a new process whose FORK record was lost.
 */
static struct live_process *executing(struct tracker *tracker, const struct perf_record *record)
{
	struct live_process *process = process_of(tracker, record->tgid);

	if (!process || !tracker_is_in_doubt(process, record->time_ns))
		return process;
	return tracker_verify(tracker, process, record->time_ns);
}

/* An exec ends all other threads. The thread that called exec continues with the leader's tid. */
int tracker_apply_exec(struct tracker *tracker, const struct perf_record *record)
{
	struct live_process *process = executing(tracker, record);
	struct live_thread *thread = live_thread_get(tracker, record->tid);

	if (!process)
		return -ENOMEM;
	if (is_older(record, process->scanned_ns))
		return 0;
	tracker_begin_program(tracker, process, record->time_ns);
	if (!thread || thread->process != process || thread->exit_ns)
		thread = live_thread_add(tracker, process, record->tid, process->start_ns);
	if (!thread)
		return -ENOMEM;
	live_exit_others(tracker, process, thread, record->time_ns);
	thread->model_thread = 0;
	live_thread_rename(thread, record->comm.name);
	(void)snprintf(process->exec_comm, sizeof(process->exec_comm), "%s", record->comm.name);
	return 0;
}

static int apply_comm(struct tracker *tracker, const struct perf_record *record)
{
	struct live_thread *thread;

	if (record->exec) {
		tracker->options.guess_execs = false;	/* the records tell execs after all */
		return tracker_apply_exec(tracker, record);
	}
	thread = thread_of(tracker, record);
	if (!thread)
		return -ENOMEM;
	if (!is_older(record, thread->scanned_ns))
		live_thread_rename(thread, record->comm.name);
	tracker_guess_begin(tracker, thread, record);
	return 0;
}

/* ---- mappings ---- */

/*
 * Remembers the program's file. When a program starts, the kernel maps the program's file first,
 * and then its interpreter (the dynamic linker), so the first file seen is the program's.
 */
void tracker_see_program(struct tracker *tracker, struct live_process *process, uint32_t pin)
{
	bool is_known = process->main_pin || process->exe ||
			(process->application && !process->exec_ns);

	if (is_known || process->kernel_thread || pin == PIN_GENERATED ||
	    !pins_is_file(tracker->pins, pin))
		return;
	process->main_pin = pin;
	tracker_decide_application(tracker, process);
	tracker_complete_row(tracker, process);
	tracker_choose(tracker, process);
}

static int apply_mmap(struct tracker *tracker, const struct perf_record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	struct live_thread *thread = thread_of(tracker, record);
	struct live_process *process;
	struct live_mapping mapping = {
		.start_addr = mmap->start_addr,
		.end_addr = mmap->start_addr + mmap->size_bytes,
		.offset = mmap->offset,
	};
	int rc;

	if (!thread)
		return -ENOMEM;
	process = thread->process;
	if (is_older(record, process->maps_ns))
		return 0;
	rc = tracker_guess_exec(tracker, process, mmap);
	if (rc < 0)
		return rc;
	mapping.pin = pins_see(tracker->pins, live_pin_user(tracker, process), mmap);
	tracker_see_program(tracker, process, mapping.pin);
	tracker_see_dump(tracker, process, mmap);
	rc = address_space_map(&process->space, &mapping, &tracker->clock);
	if (rc != -E2BIG)
		return rc;
	/*
	 * The limit on mappings was reached. Most of these mappings must have been unmapped long
	 * ago. The next lookup reads the current mappings from /proc.
	 */
	address_space_drop(process->space);
	process->space = NULL;
	process->maps_known = false;
	return 0;
}

int tracker_enter(struct tracker *tracker, const struct perf_record *record, bool kernel_thread)
{
	struct live_process *process;

	live_advance(tracker, record->time_ns);
	if (live_is_special(record->tgid, record->tid))
		return 0;
	if (record->parent_tgid == record->tgid)
		return fork_thread(tracker, record);
	process = live_process_add(tracker, record->tgid, record->time_ns);
	if (!process)
		return -ENOMEM;
	process->parent_tgid = record->parent_tgid;
	process->kernel_thread = kernel_thread;
	process->maps_known = true;
	tracker_trust(tracker, process, record->time_ns);
	if (live_thread_add(tracker, process, record->tid, record->time_ns))
		return 0;
	live_process_free(tracker, process);
	return -ENOMEM;
}

int tracker_apply(struct tracker *tracker, const struct perf_record *record)
{
	live_advance(tracker, record->time_ns);
	if (live_is_special(record->tgid, record->tid))
		return 0;
	switch (record->kind) {
	case RECORD_FORK:
		return apply_fork(tracker, record);
	case RECORD_EXIT:
		apply_exit(tracker, record);
		return 0;
	case RECORD_COMM:
		return apply_comm(tracker, record);
	case RECORD_MMAP:
		return apply_mmap(tracker, record);
	default:
		return 0;
	}
}

/* ---- samples ---- */

static const char *special_comm(const struct live_process *process)
{
	if (process->tgid == LIVE_ID_GONE)
		return "[exiting]";
	return process->kernel_thread ? IDLE_COMM : "[outside]";
}

static struct live_thread *special_thread(struct tracker *tracker, uint32_t id)
{
	struct live_thread *thread = live_thread_get(tracker, id);
	struct live_process *process;

	if (thread)
		return thread;
	process = live_process_add(tracker, id, 0);
	if (!process)
		return NULL;
	process->kernel_thread = id == 0 && !tracker->in_namespace;
	process->unknown = id == LIVE_ID_GONE;
	process->maps_known = true;
	process->was_read = true;
	thread = live_thread_add(tracker, process, id, 0);
	if (thread)
		live_thread_rename(thread, special_comm(process));
	return thread;
}

/*
 * Returns the thread of a sighting. If only the ids of its process are known and the process has
 * already exited, starts the grace period of the thread. The entry is then freed later. If /proc
 * must not be read, only an EXIT record shows that a process has exited.
 */
static struct live_thread *thread_of_life(struct tracker *tracker, const struct sighting *sighting)
{
	struct live_thread *thread;

	live_advance(tracker, sighting->time_ns);
	if (live_is_special(sighting->tgid, sighting->tid))
		return special_thread(tracker, sighting->tid == 0 ? 0 : LIVE_ID_GONE);
	if (!tracker_identify(tracker, sighting))
		return NULL;
	thread = tracker_thread_bare(tracker, sighting->tgid, sighting->tid);
	if (thread && thread->process->unknown && tracker_has_vanished(thread->process))
		live_thread_exit(tracker, thread, sighting->time_ns);
	if (thread && thread->exit_ns)
		thread->sampled_ns = sighting->time_ns;
	return thread;
}

/*
 * Called when it becomes known that assay runs in a pid namespace. From now on, tid 0 means a task
 * outside the namespace. Samples that were already assigned to the idle task stay there: nothing
 * shows which of them are samples of tasks outside the namespace.
 */
static void enter_namespace(struct tracker *tracker)
{
	struct live_thread *idle = live_thread_get(tracker, 0);

	tracker->in_namespace = true;
	if (!idle)
		return;
	tracker_begin_program(tracker, idle->process, 0);
	idle->process->was_read = true;
	live_thread_rename(idle, special_comm(idle->process));
}

struct live_thread *tracker_thread_of(struct tracker *tracker, const struct perf_record *sample,
				      uint64_t life)
{
	if (sample->tid == 0 && !sample->kernel_mode && !tracker->in_namespace)
		enter_namespace(tracker);
	return thread_of_life(tracker, &(struct sighting){
					       .tgid = sample->tgid,
					       .tid = sample->tid,
					       .time_ns = sample->time_ns,
					       .life = life,
				       });
}

struct live_process *tracker_process(struct tracker *tracker, uint32_t tgid)
{
	struct live_process *process = live_process_get(tracker, tgid);

	for (struct live_thread *thread = process ? process->threads : NULL; thread;
	     thread = thread->next_sibling)
		if (!thread->exit_ns)
			return process;
	return NULL;
}

bool tracker_is_idle(const struct live_thread *thread)
{
	return thread->tid == 0 && thread->process->kernel_thread;
}

bool tracker_mark_target(struct tracker *tracker, uint32_t tgid)
{
	struct live_process *process = live_process_get(tracker, tgid);

	if (process)
		process->is_target = true;
	if (process && tracker->options.read_proc)
		tracker_find_dump(tracker, process);
	return process != NULL;
}

uint64_t tracker_space_stamp(const struct live_process *process)
{
	return process->space && process->maps_known ? process->space->stamp : 0;
}

size_t tracker_thread_count(const struct tracker *tracker)
{
	return tracker->thread_count;
}

/* ---- new and free ---- */

int tracker_new(struct model *model, struct pins *pins, const struct tracker_options *options,
		struct tracker **ret_tracker)
{
	struct tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return -ENOMEM;
	tracker->model = model;
	tracker->pins = pins;
	tracker->dumps.opener = pins_opener(pins);
	tracker->programs.opener = pins_opener(pins);
	tracker->options = *options;
	tracker->in_namespace = options->read_proc && proc_is_in_pid_namespace();
	tracker->boot_shift_ns = time_shift_read().boot_ns;
	*ret_tracker = tracker;
	return 0;
}

void tracker_free(struct tracker *tracker)
{
	if (!tracker)
		return;
	live_free_all(tracker);
	jit_dumps_fini(&tracker->dumps);
	vec_free(&tracker->new_targets);
	intern_fini(&tracker->application_index);
	free(tracker);
}
