/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_tasks.h - the threads of a counting session
 *
 * A process goes on making threads while its threads are being opened.  One that a counted thread
 * made is counted with it, one that another thread made is not, and nobody can tell which it is:
 * so when there are threads afterwards that were not there before, all is done again.
 */
#ifndef ASSAY_SESSION_STAT_TASKS_H
#define ASSAY_SESSION_STAT_TASKS_H

#include "capture/counters.h"
#include "session/stat_session.h"

struct stat_tasks {
	VEC(uint32_t) tids;
	/* new threads appeared in every attempt; some may not be counted */
	bool unsettled;
};

/* Lists the threads and opens their counters. @groups is changed as counters_open() describes. */
int stat_tasks_open(struct stat_tasks *tasks, const struct stat_options *options,
		    struct event_groups *groups, struct counters *counters, struct err *err);
void stat_tasks_fini(struct stat_tasks *tasks);

/* Returns true if all processes (or threads) have ended. */
bool stat_tasks_gone(const struct stat_options *options);

/* Writes a malloc()ed string such as "tid 12 (name)" for each thread. Returns 0 or -ENOMEM. */
int stat_tasks_name(const struct stat_tasks *tasks, char **ret_names);

#endif
