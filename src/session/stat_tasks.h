/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_tasks.h - the threads of a counting session
 *
 * A process may create threads while the counters of its threads are being opened. If the creating
 * thread already has counters, the new thread is counted with it. Otherwise the new thread is not
 * counted, and the two cases cannot be distinguished. So the threads are listed again after all
 * counters have been opened. If new threads have appeared by then, all counters are closed and
 * opened again.
 */
#ifndef ASSAY_SESSION_STAT_TASKS_H
#define ASSAY_SESSION_STAT_TASKS_H

#include "capture/counters.h"
#include "session/stat_session.h"

struct stat_tasks {
	VEC(uint32_t) tids;
	/* new threads appeared in every attempt; some of them may not be counted */
	bool unsettled;
};

/*
 * Lists the threads and opens their counters. @groups may be changed as described at
 * counters_open().
 */
int stat_tasks_open(struct stat_tasks *tasks, const struct stat_options *options,
		    struct event_groups *groups, struct counters *counters, struct err *err);
void stat_tasks_fini(struct stat_tasks *tasks);

/* Returns true if all processes (or threads) have ended. */
bool stat_tasks_gone(const struct stat_options *options);

/*
 * Sets each element of ret_names to the name of a thread, such as "tid 12 (name)". The caller frees
 * the strings. Returns 0 or -ENOMEM.
 */
int stat_tasks_name(const struct stat_tasks *tasks, char **ret_names);

#endif
