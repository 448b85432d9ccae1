/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/proc_read.h"
#include "base/hash.h"
#include "process/program_name.h"
#include "process/tracker-private.h"

#define ANCESTORS_MAX 8		/* maximum number of generations that find_owner() goes back */

static const struct budget_limit mapping_limit = { .burst = 4096, .per_second = 50 };

/* ---- applications ---- */

struct application_search {
	const struct model *model;
	const char *name;
};

static bool same_name(uint32_t id, const void *arg)
{
	const struct application_search *search = arg;
	uint32_t name = search->model->applications.at[id].name;

	return strcmp(model_string(search->model, name), search->name) == 0;
}

static uint32_t others(struct tracker *tracker)
{
	if (!tracker->others)
		tracker->others = model_application_id(tracker->model,
						       model_intern(tracker->model, "[others]"));
	return tracker->others;
}

/*
 * Returns the id of the application called @name, and adds it if there is none. If there are
 * already too many applications, a new name is added only if @sampled is true. If @sampled is
 * false, returns the id of "[others]".
 */
static uint32_t application_of_name(struct tracker *tracker, const char *name, bool sampled)
{
	struct application_search search = { .model = tracker->model, .name = name };
	uint64_t hash = hash_bytes(name, strlen(name));
	uint32_t id = intern_find(&tracker->application_index, hash, same_name, &search);

	if (id)
		return id;
	if (!sampled && tracker->model->applications.count > TRACKER_APPLICATIONS_MAX)
		return others(tracker);
	id = model_application_id(tracker->model, model_intern(tracker->model, name));
	if (id && intern_add(&tracker->application_index, hash, id) < 0)
		loss_add(&tracker->model->losses, LOSS_MEMORY, 1);
	return id;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/*
 * Kernel threads that do the same work on different CPUs form one application, such as "[kworker]".
 */
static void kernel_name(const char *comm, char *ret_name, size_t name_bytes)
{
	(void)snprintf(ret_name, name_bytes, "[%.*s]", (int)strcspn(comm, "/:"), comm);
}

/* Returns the path of the program's file, or "" if it is unknown. */
static const char *program_path(const struct tracker *tracker, const struct live_process *process)
{
	return process->main_pin ? pins_path(tracker->pins, process->main_pin)
				 : model_string(tracker->model, process->exe);
}

/*
 * Returns the name of the program's file. If the file has several names, exec() tells the one that
 * was used, unless it is too long for a comm. A script in place of an interpreter is not used here,
 * because it would be a second name for "INTERPRETER SCRIPT".
 */
static const char *file_name(const struct tracker *tracker, const struct live_process *process)
{
	const char *name = base_name(program_path(tracker, process)), *comm = process->exec_comm;
	size_t length = strlen(comm);

	if (!tracker->options.read_proc || !length || length + 1 >= LIVE_COMM_MAX ||
	    program_is_interpreter(name) || comm[strspn(comm, "0123456789")] == '\0')
		return name;
	return comm;
}

static void program_name(const struct tracker *tracker, const struct live_process *process,
			 char *ret_name, size_t name_bytes)
{
	const char *comm = live_process_comm(process);
	const char *name = comm;

	if (process->name)
		name = model_string(tracker->model, process->name);
	else if (process->tgid == 0)
		name = process->kernel_thread ? "[idle]" : "[outside]";
	else if (process->tgid == LIVE_ID_GONE)
		name = "[exiting]";
	else if (process->main_pin || process->exe)
		name = file_name(tracker, process);
	else if (process->kernel_thread)
		return kernel_name(comm, ret_name, name_bytes);
	(void)snprintf(ret_name, name_bytes, "%s", name[0] ? name : "[unknown]");
}

void tracker_add_instance(struct tracker *tracker, struct live_process *process,
			  uint32_t application)
{
	process->application = application;
	process->instance = ++tracker->model->applications.at[application].instance_count;
}

static void decide(struct tracker *tracker, struct live_process *process, bool sampled)
{
	char name[PROC_PATH_MAX];

	program_name(tracker, process, name, sizeof(name));
	tracker_add_instance(tracker, process, application_of_name(tracker, name, sampled));
}

void tracker_decide_application(struct tracker *tracker, struct live_process *process)
{
	if (!process->application)
		decide(tracker, process, false);
}

/* Takes back that the process was counted, as far as no later instance has a higher number. */
static void uncount(struct tracker *tracker, struct live_process *process)
{
	struct application *application = &tracker->model->applications.at[process->application];

	if (process->application == tracker->others ||
	    process->instance == application->instance_count)
		application->instance_count--;
	process->application = 0;
}

/* Returns true if the process was counted under the name of its file, and has another name. */
static bool is_misnamed(const struct tracker *tracker, const struct live_process *process)
{
	const struct application *application =
		&tracker->model->applications.at[process->application];

	return process->name && application->name != process->name;
}

/*
 * Determines the application of a process that gets a row in the model. If the process was counted
 * as an instance of "[others]" or under the name of its file so far, it now gets an application of
 * its own.
 */
static void decide_for_row(struct tracker *tracker, struct live_process *process)
{
	if (process->application &&
	    (process->application == tracker->others || is_misnamed(tracker, process)))
		uncount(tracker, process);
	if (!process->application)
		decide(tracker, process, true);
}

/* ---- processes and threads ---- */

/* Returns false if it is known that /proc does not show this process under its tgid. */
static bool may_be_asked(const struct live_process *process)
{
	return !process->unknown && !process->gone;
}

/*
 * Returns true if /proc still shows this process. The process may run another program by now: uid
 * and cgroup belong to the process, not to the program.
 */
static bool is_still_shown(struct live_process *process)
{
	struct proc_task leader;
	enum identity_match match = tracker_ask(process, &leader);

	process->gone = match == IDENTITY_OTHER_PROCESS || match == IDENTITY_NOBODY;
	return !process->gone;
}

static bool read_owner(struct tracker *tracker, struct live_process *process)
{
	uint32_t uid = process->uid, inner_tgid = process->inner_tgid;
	char cgroup[PROC_PATH_MAX];
	bool has_cgroup;

	if (process->was_read || !tracker->options.read_proc || !may_be_asked(process))
		return process->was_read;
	if (proc_is_gone(process->tgid))
		return false;
	if (!process->uid_told && proc_read_status(process->tgid, &uid, &inner_tgid) < 0)
		return false;
	has_cgroup = proc_read_cgroup(process->tgid, cgroup) == 0;
	if (!is_still_shown(process))
		return false;
	process->uid = uid;
	process->inner_tgid = inner_tgid;
	if (has_cgroup)
		process->cgroup = model_keep_name(tracker->model, cgroup);
	process->was_read = true;
	return true;
}

void tracker_tell_owner(struct tracker *tracker, uint32_t tgid, uint32_t uid, uint32_t cgroup)
{
	struct live_process *process = live_process_get(tracker, tgid);

	if (!process || process->was_read)
		return;
	process->uid = uid;
	process->uid_told = true;
	if (!cgroup)
		return;
	process->cgroup = cgroup;
	process->was_read = true;
}

/*
 * Returns the parent that forked @process. Returns NULL if the fork was not recorded, or if one of
 * the two has called exec since.
 */
static struct live_process *forked_by(const struct tracker *tracker,
				      const struct live_process *process)
{
	struct live_process *parent = live_process_get(tracker, process->parent_tgid);
	bool fork_was_seen = process->start_ns && !process->scanned_ns && !process->unknown;

	if (!parent || !fork_was_seen || process->exec_ns || parent->start_ns > process->start_ns ||
	    parent->exec_ns > process->start_ns)
		return NULL;
	return parent;
}

static bool has_owner(const struct live_process *process)
{
	return process->was_read || process->uid != UINT32_MAX || process->cgroup;
}

/*
 * The child certainly has its parent's cgroup at the fork. Its uid is certain only if the parent is
 * not root: without exec, only root can change its uid, and no record reports such a change.
 */
void tracker_inherit_owner(const struct live_process *parent, struct live_process *child)
{
	child->cgroup = parent->cgroup;
	child->uid = parent->uid != 0 ? parent->uid : UINT32_MAX;
}

/*
 * Finds the uid and cgroup of a process. If /proc no longer shows the process, uses those of the
 * process that forked it, or of an earlier ancestor.
 */
static void find_owner(struct tracker *tracker, struct live_process *process)
{
	struct live_process *from = process;

	for (int i = 0; i < ANCESTORS_MAX && from; i++) {
		if (read_owner(tracker, from) || has_owner(from))
			break;
		from = forked_by(tracker, from);
	}
	if (from && from != process)
		tracker_inherit_owner(from, process);
}

static uint32_t exe_of(struct tracker *tracker, struct live_process *process)
{
	if (process->main_pin && !process->exe)
		process->exe = model_keep_name(tracker->model,
					       pins_path(tracker->pins, process->main_pin));
	return process->exe;
}

/* Returns true if /proc still shows this process, with a program of the same file name. */
static bool runs_program(struct tracker *tracker, struct live_process *process)
{
	const char *known = program_path(tracker, process);
	char exe[PROC_PATH_MAX];
	struct proc_task leader;

	if (tracker_ask(process, &leader) > IDENTITY_UNCLEAR ||
	    proc_read_exe(process->tgid, exe) < 0)
		return false;
	return !known[0] || strcmp(base_name(exe), base_name(known)) == 0;
}

static void read_name(struct tracker *tracker, struct live_process *process)
{
	char name[PROGRAM_NAME_MAX], line[PROGRAM_ARGUMENTS_MAX];

	if (process->name_was_read || !tracker->options.read_proc || process->kernel_thread ||
	    !may_be_asked(process) || live_is_special(process->tgid, process->tgid))
		return;
	process->name_was_read = true;
	if (program_name_read(&tracker->programs, process->tgid, name) == 0 &&
	    runs_program(tracker, process))
		process->name = model_keep_name(tracker->model, name);
	if (tracker->options.command_lines && program_line_read(process->tgid, line) == 0 &&
	    runs_program(tracker, process))
		process->command_line = model_keep_name(tracker->model, line);
}

static bool is_called(const struct tracker *tracker, const struct live_process *process,
		      const char *name)
{
	char called[PROC_PATH_MAX];

	program_name(tracker, process, called, sizeof(called));
	return program_has_name(name, called, program_path(tracker, process));
}

void tracker_choose(struct tracker *tracker, struct live_process *process)
{
	bool chosen = false;

	if (process->is_target || !tracker->options.name_count)
		return;
	read_name(tracker, process);
	for (size_t i = 0; i < tracker->options.name_count && !chosen; i++)
		chosen = is_called(tracker, process, tracker->options.names[i]);
	if (!chosen)
		return;
	if (vec_push(&tracker->new_targets))
		tracker->new_targets.at[tracker->new_targets.count - 1] = process->tgid;
	else
		loss_add(&tracker->model->losses, LOSS_MEMORY, 1);
	(void)tracker_mark_target(tracker, process->tgid);
}

bool tracker_take_target(struct tracker *tracker, uint32_t *ret_tgid)
{
	if (!tracker->new_targets.count)
		return false;
	*ret_tgid = tracker->new_targets.at[--tracker->new_targets.count];
	return true;
}

/*
 * Finds what the program of a process is called. If /proc no longer shows the process, asks the
 * process that forked it, or an earlier ancestor, because without exec they run the same program.
 */
static void find_name(struct tracker *tracker, struct live_process *process)
{
	struct live_process *from = process;

	for (int i = 0; i < ANCESTORS_MAX && from && !process->name; i++) {
		read_name(tracker, from);
		process->name = from->name;
		if (!process->command_line)
			process->command_line = from->command_line;
		from = forked_by(tracker, from);
	}
}

static struct process make_row(struct tracker *tracker, struct live_process *process)
{
	const struct live_process *parent = live_process_get(tracker, process->parent_tgid);

	return (struct process){
		.tgid = process->tgid,
		.parent_tgid = process->parent_tgid,
		.parent = parent ? parent->model_process : 0,
		.application = process->application,
		.instance = process->instance,
		.uid = process->uid,
		.exe = exe_of(tracker, process),
		.cgroup = process->cgroup,
		.command_line = process->command_line,
		.start_ns = process->start_ns,
		.exec_ns = process->exec_ns,
		.kernel_thread = process->kernel_thread,
	};
}

static uint32_t add_process_row(struct tracker *tracker, struct live_process *process)
{
	struct process row;

	find_owner(tracker, process);
	find_name(tracker, process);
	decide_for_row(tracker, process);
	row = make_row(tracker, process);
	process->model_process = model_process_add(tracker->model, &row);
	process->row_release = tracker->model->release_count;
	return process->model_process;
}

/* Writes the row again, because the model may have released it. */
static void renew_process_row(struct tracker *tracker, struct live_process *process)
{
	struct process *row = &tracker->model->processes.at[process->model_process];

	*row = make_row(tracker, process);
	process->row_release = tracker->model->release_count;
}

void tracker_complete_row(struct tracker *tracker, struct live_process *process)
{
	if (process->model_process && process->row_release == tracker->model->release_count)
		tracker->model->processes.at[process->model_process].exe = exe_of(tracker, process);
}

static uint32_t process_row(struct tracker *tracker, struct live_process *process)
{
	if (!process->model_process)
		return add_process_row(tracker, process);
	if (process->row_release != tracker->model->release_count)
		renew_process_row(tracker, process);
	return process->model_process;
}

static void thread_row(struct tracker *tracker, struct live_thread *thread)
{
	struct model *model = tracker->model;
	uint32_t comm = model_keep_name(model, thread->comm);
	const struct thread row = {
		.process = thread->process->model_process,
		.tid = thread->tid,
		.comm = comm || !thread->comm[0] ? comm : model_intern(model, MODEL_NOT_KEPT),
		.start_ns = thread->start_ns,
	};

	if (!thread->model_thread)
		thread->model_thread = model_thread_add(model, &row);
	else
		model->threads.at[thread->model_thread] = row;
	thread->row_release = model->release_count;
}

uint32_t tracker_model_thread(struct tracker *tracker, struct live_thread *thread)
{
	struct live_process *process = thread->process;

	if (process->unknown)
		loss_add(&tracker->model->losses,
			 process->unverified ? LOSS_PROCESS_UNVERIFIED : LOSS_PROCESS_UNKNOWN, 1);
	if (thread->model_thread && thread->row_release == tracker->model->release_count)
		return thread->model_thread;
	if (process_row(tracker, process))
		thread_row(tracker, thread);
	return thread->model_thread;
}

/* ---- mappings ---- */

static uint32_t generated_image(struct tracker *tracker, struct live_process *process)
{
	struct image image = {
		.kind = IMAGE_JIT,
		.path = model_intern(tracker->model, "//anon"),
		.process = process_row(tracker, process),
		.tgid = process->inner_tgid,
	};

	return image.process ? model_image_id(tracker->model, &image) : 0;
}

/* Handles the first hit of a mapping: adds rows for its image and for the mapping. */
static bool enter_mapping(struct tracker *tracker, struct live_process *process,
			  struct live_mapping *mapping, uint64_t time_ns)
{
	uint32_t image, owner = process_row(tracker, process);

	if (mapping->pin == PIN_GENERATED)
		image = generated_image(tracker, process);
	else
		image = pins_image(tracker->pins, mapping->pin, live_pin_user(tracker, process));
	if (!image || !owner)
		return false;
	mapping->bias = 0;
	if (mapping->pin != PIN_GENERATED)
		mapping->bias = pins_bias(tracker->pins, mapping->pin, mapping->start_addr,
					  mapping->offset);
	mapping->image = image;
	return model_mapping_add(tracker->model, &(struct mapping){
							 .process = owner,
							 .image = image,
							 .start_addr = mapping->start_addr,
							 .end_addr = mapping->end_addr,
							 .bias = mapping->bias,
							 .time_ns = time_ns,
						 }) != 0;
}

static void read_maps(struct tracker *tracker, struct live_process *process, uint64_t time_ns)
{
	if (!tracker->options.read_proc || process->kernel_thread || !may_be_asked(process))
		return;
	process->reread_ns = time_ns;
	if (tracker_read_maps(tracker, process) == -ENOMEM)
		loss_add(&tracker->model->losses, LOSS_MEMORY, 1);
}

/* Returns the mapping that contains @addr, whether or not it has an image in the model already. */
static struct live_mapping *live_mapping_at(struct tracker *tracker, struct live_process *process,
					    uint64_t addr, uint64_t time_ns)
{
	if (!process->maps_known) {
		if (!live_may_reread(process, time_ns))
			return NULL;
		process->maps_known = true;
		read_maps(tracker, process, time_ns);
	}
	return address_space_find(process->space, addr);
}

const struct live_mapping *tracker_mapping_of_caller(struct tracker *tracker,
						     struct live_process *process, uint64_t addr,
						     uint64_t time_ns, bool *ret_over_budget)
{
	struct live_mapping *mapping = live_mapping_at(tracker, process, addr, time_ns);

	*ret_over_budget = false;
	if (!mapping || mapping->image)
		return mapping;
	*ret_over_budget = !budget_take(&process->new_mappings, &mapping_limit, time_ns);
	if (*ret_over_budget || !enter_mapping(tracker, process, mapping, time_ns))
		return NULL;
	return mapping;
}

static const struct live_mapping *
find_mapping(struct tracker *tracker, struct live_process *process, uint64_t addr, uint64_t time_ns)
{
	struct live_mapping *mapping = live_mapping_at(tracker, process, addr, time_ns);

	if (mapping && !mapping->image && !enter_mapping(tracker, process, mapping, time_ns))
		return NULL;
	return mapping;
}

const struct live_mapping *tracker_mapping(struct tracker *tracker, struct live_process *process,
					   uint64_t addr, uint64_t time_ns)
{
	const struct live_mapping *mapping = find_mapping(tracker, process, addr, time_ns);

	if (mapping || !live_may_reread(process, time_ns))
		return mapping;
	read_maps(tracker, process, time_ns);
	return find_mapping(tracker, process, addr, time_ns);
}
