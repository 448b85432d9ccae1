/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_session.h - counts events for `assay stat`, from its options to its results
 *
 * The session opens counters, runs the command, and passes the results to its caller: once after
 * all runs, or after each interval. The session prints nothing.
 */
#ifndef ASSAY_SESSION_STAT_SESSION_H
#define ASSAY_SESSION_STAT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/counter_table.h"
#include "base/err.h"
#include "base/vec.h"
#include "session/listener.h"

enum stat_target { STAT_COMMAND, STAT_SYSTEM, STAT_PROCESSES, STAT_THREADS };

/* All strings and arrays are borrowed. */
struct stat_options {
	/* events in perf's syntax; if there are none, the default events are counted */
	const char *const *events;
	size_t event_count;
	enum stat_target target;
	const uint32_t *ids;		/* for STAT_PROCESSES: tgids; for STAT_THREADS: tids */
	size_t id_count;
	const char *cpus;		/* for STAT_SYSTEM; NULL: all CPUs */
	uint64_t runs;			/* how often the command is run; at least 1 */
	uint64_t interval_ms, duration_ms;	/* 0: no interval, no time limit */
	bool per_thread, per_cpu;
	char **command;			/* argv, NULL-terminated; NULL: no command */
};

/* The results that the callback receives. Valid only until the callback returns. */
struct stat_result {
	const struct counter_table *table;
	/* names of the table's columns (the events, then the times) */
	const char *const *events;
	/* names of the CPUs or threads; NULL: their counts are summed up */
	const char *const *places;
	double time_seconds;		/* time since counting began */
	/* only user code was counted, because the kernel allows no more */
	bool user_only;
};

struct stat_listener {
	struct session_listener notes;
	int (*result)(void *context, const struct stat_result *result);	/* returns 0 or -ENOMEM */
	void *context;
};

struct stat_outcome {
	struct err err;		/* why the session failed; code 0: no failure */
	int exec_error;		/* error of executing the command; 0: the command was executed */
	/* exit status of the command, as a shell would show it; 0 without a command */
	int exit_status;
};

/*
 * Counts until the command or the processes end, the time limit is reached, or a signal arrives. If
 * there is a command and no error occurred, waits until the command exits before returning.
 */
struct stat_outcome stat_session(const struct stat_options *options,
				 const struct stat_listener *listener);

#endif
