/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopwatch_session.h - measures spans for `assay stopwatch`, from its options to its results
 *
 * The session finds the points, runs the command, and passes the results to its caller, at the end
 * or after each interval.
 * It prints nothing.
 */
#ifndef ASSAY_SESSION_STOPWATCH_SESSION_H
#define ASSAY_SESSION_STOPWATCH_SESSION_H

#include "base/err.h"
#include "model/counter.h"
#include "session/listener.h"
#include "stopwatch/point.h"
#include "stopwatch/span_times.h"
#include "stopwatch/stopwatch.h"

/* All strings and arrays are borrowed. */
struct stopwatch_session_options {
	struct span_points what;
	const uint32_t *tgids;		/* none, and no command: all processes */
	size_t tgid_count;
	bool all_processes;		/* although there is a command */
	bool return_probes;		/* see stopwatch/stopwatch.h */
	bool waits;			/* how long calls were not on a CPU */
	bool interrupts;		/* how long these took in calls */
	const char *counters;		/* events to count in calls: see span_counters.h; or NULL */
	enum span_measure measure;
	enum span_by by;
	const char *by_value, *by_second, *argument;	/* see stopwatch/stopwatch.h */
	/*
	 * Measuring stops when the probes take more of the machine's CPU time, as record's rate is
	 * lowered; 0: no limit.
	 */
	double max_overhead_percent;
	const char *program_dirs;	/* where programs are found: $PATH */
	uint64_t interval_ms;		/* 0: one result, at the end */
	uint64_t duration_ms;		/* 0: no time limit */
	char **command;			/* argv, NULL-terminated; NULL: no command */
};

/* Valid only until the callback returns. */
struct stopwatch_result {
	struct span_row *rows;		/* of the interval, or of all the time; may be sorted */
	size_t row_count;
	double time_seconds;		/* since the start */
	/* the events that were counted in calls */
	size_t counter_count;
	const char *const *counter_names;
	const struct counter_kind *counter_kinds;
};

struct stopwatch_listener {
	struct session_listener notes;
	int (*result)(void *context, const struct stopwatch_result *result);
	void *context;
};

struct stopwatch_outcome {
	struct err err;		/* why the session failed; code 0: no failure */
	int exec_error;		/* error of executing the command; 0: the command was executed */
	int exit_status;	/* of the command, as a shell would show it; 0 without a command */
};

/* Measures until the command ends, the time limit is reached, or a signal arrives. */
struct stopwatch_outcome stopwatch_session(const struct stopwatch_session_options *options,
					   const struct stopwatch_listener *listener);

#endif
