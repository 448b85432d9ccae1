/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/stat_tasks.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "process/proc_read.h"

#define ATTEMPTS 10
/*
 * The pause doubles after each attempt, so that all pauses together take 0.5 s. A process that is
 * starting up creates many threads.
 */
#define FIRST_PAUSE_US 1000

static int add_task(void *context, uint32_t tid)
{
	struct stat_tasks *tasks = context;
	uint32_t *slot = vec_push(&tasks->tids);

	if (!slot)
		return -ENOMEM;
	*slot = tid;
	return 0;
}

static int list_tasks(struct stat_tasks *tasks, const struct stat_options *options, struct err *err)
{
	vec_clear(&tasks->tids);
	for (size_t i = 0; i < options->id_count; i++) {
		uint32_t id = options->ids[i];
		int rc = options->target == STAT_PROCESSES ? proc_each_id(id, add_task, tasks)
							   : add_task(tasks, id);

		if (rc == -ENOMEM)
			return err_set(err, rc, "out of memory");
		if (rc < 0)
			return err_set(err, -ESRCH, "there is no process %u", id);
	}
	return 0;
}

static bool has(const struct stat_tasks *tasks, uint32_t tid)
{
	for (size_t i = 0; i < tasks->tids.count; i++)
		if (tasks->tids.at[i] == tid)
			return true;
	return false;
}

/* Returns true if there are threads now that are not in @tasks. */
static bool have_come(const struct stat_tasks *tasks, const struct stat_options *options)
{
	struct stat_tasks now = { 0 };
	bool come = false;

	if (options->target == STAT_PROCESSES && list_tasks(&now, options, NULL) == 0)
		for (size_t i = 0; i < now.tids.count && !come; i++)
			come = !has(tasks, now.tids.at[i]);
	stat_tasks_fini(&now);
	return come;
}

int stat_tasks_open(struct stat_tasks *tasks, const struct stat_options *options,
		    struct event_groups *groups, struct counters *counters, struct err *err)
{
	useconds_t pause_us = FIRST_PAUSE_US;

	for (int attempt = 1;; attempt++, pause_us *= 2) {
		struct counters_options where = {
			.groups = groups,
			.inherit = options->target == STAT_PROCESSES,
		};
		int rc = list_tasks(tasks, options, err);

		if (rc < 0)
			return rc;
		where.tids = tasks->tids.at;
		where.tid_count = tasks->tids.count;
		rc = counters_open(counters, &where, err);
		if (rc < 0)
			return rc;
		tasks->unsettled = have_come(tasks, options);
		if (!tasks->unsettled || attempt == ATTEMPTS)
			return 0;
		counters_fini(counters);
		(void)usleep(pause_us);
	}
}

void stat_tasks_fini(struct stat_tasks *tasks)
{
	vec_free(&tasks->tids);
}

static int count_id(void *context, uint32_t tid)
{
	++*(size_t *)context;
	return 0;
}

/*
 * Returns true if the thread or process has ended. A thread group leader that has ended stays a
 * zombie until its last thread has ended, so a process has ended only if no other threads are left.
 */
static bool is_gone(uint32_t id, bool is_process)
{
	struct proc_task task;
	size_t threads = 0;

	if (proc_read_task(id, id, &task) < 0)
		return true;
	if (task.state != 'Z' && task.state != 'X')
		return false;
	return !is_process || proc_each_id(id, count_id, &threads) < 0 || threads < 2;
}

bool stat_tasks_gone(const struct stat_options *options)
{
	for (size_t i = 0; i < options->id_count; i++)
		if (!is_gone(options->ids[i], options->target == STAT_PROCESSES))
			return false;
	return true;
}

int stat_tasks_name(const struct stat_tasks *tasks, char **ret_names)
{
	for (size_t i = 0; i < tasks->tids.count; i++) {
		uint32_t tid = tasks->tids.at[i];
		struct proc_task task;
		int length;

		if (proc_read_task(tid, tid, &task) == 0)
			length = asprintf(&ret_names[i], "tid %u (%s)", tid, task.comm);
		else
			length = asprintf(&ret_names[i], "tid %u", tid);
		if (length < 0) {
			ret_names[i] = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}
