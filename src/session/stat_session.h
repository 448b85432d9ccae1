/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_session.h - counting: from the options to figures
 *
 * The session opens counters, runs the command, and hands each result to its caller: after all
 * runs, or after each interval. It prints nothing.
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
	const char *const *events;	/* each in perf's syntax; none: the default ones */
	size_t event_count;
	enum stat_target target;
	const uint32_t *ids;		/* of STAT_PROCESSES or STAT_THREADS */
	size_t id_count;
	const char *cpus;		/* of STAT_SYSTEM; NULL: all */
	uint64_t runs;			/* of the command; at least 1 */
	uint64_t interval_ms, duration_ms;	/* 0: none */
	bool per_thread, per_cpu;
	char **command;			/* argv, NULL-terminated; NULL: none */
};

/* Valid during the call that hands it over. */
struct stat_result {
	const struct counter_table *table;
	const char *const *events;	/* names, one for each kind of the table */
	const char *const *places;	/* names, one for each place; NULL: all together */
	double time_seconds;		/* since counting began */
	bool user_only;			/* the kernel lets only user code be counted */
};

struct stat_listener {
	struct session_listener notes;
	int (*result)(void *context, const struct stat_result *result);	/* 0 or -ENOMEM */
	void *context;
};

struct stat_outcome {
	struct err err;		/* code 0: all went well */
	int exec_error;		/* why the command could not be executed; 0: it was */
	int exit_status;	/* of the command, as a shell would show it; else 0 */
};

/* Counts, and waits for the command at the end. */
struct stat_outcome stat_session(const struct stat_options *options,
				 const struct stat_listener *listener);

#endif
